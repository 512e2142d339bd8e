import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createClient, startTestApp, type TestApp } from '../../testing/app.ts'
import { password, setAccountPolicy } from '../../testing/people-factories.ts'
import type { CaptchaConfig } from '../config.ts'

/** Imitates the verify calls of both providers: `right` and `right:<score>` are right answers. */
async function startProvider() {
  const asked: Record<string, string>[] = []
  let isBroken = false
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const fields = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()))
      asked.push(fields)
      if (isBroken) {
        response.writeHead(500).end('down')
        return
      }
      const [word, score] = (fields.response ?? '').split(':')
      const isRight = word === 'right' && fields.secret === 'server-secret' && request.method === 'POST'
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ success: isRight, ...(score && { score: Number(score) }), 'error-codes': [] }))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/siteverify`,
    asked,
    breakDown: (value: boolean) => {
      isBroken = value
    },
    close: () => server.close(),
  }
}

let provider: Awaited<ReturnType<typeof startProvider>>
let turnstile: TestApp
let recaptcha: TestApp
let keyless: TestApp
let withoutSiteKey: TestApp
let withoutProvider: TestApp
function withCaptcha(captcha: Partial<CaptchaConfig>) {
  return startTestApp({
    config: {
      captcha: {
        provider: 'CloudflareTurnstile',
        siteKey: 'public-key',
        secretKey: 'server-secret',
        verifyUrl: provider.url,
        scoreThreshold: 0.5,
        ...captcha,
      },
    },
  })
}
beforeAll(async () => {
  provider = await startProvider()
  turnstile = await withCaptcha({})
  recaptcha = await withCaptcha({ provider: 'GoogleRecaptcha' })
  keyless = await withCaptcha({ secretKey: '' })
  withoutSiteKey = await withCaptcha({ siteKey: '' })
  withoutProvider = await withCaptcha({ provider: 'None' })
})
beforeEach(async () => {
  for (const { db } of [turnstile, recaptcha, keyless, withoutSiteKey, withoutProvider])
    await setAccountPolicy(db, { useCaptcha: true })
  provider.asked.splice(0)
})
afterAll(async () => {
  for (const context of [turnstile, recaptcha, keyless, withoutSiteKey, withoutProvider]) await context.close()
  provider.close()
})

let serial = 0
async function register({ app }: TestApp, challenge?: string | null) {
  const userName = `human${++serial}`
  const body = { userName, email: `${userName}@example.org`, password, ...(challenge !== undefined && { challenge }) }
  const response = await createClient(app).post('/api/account/register', body)
  return response.statusCode === 200 ? 'ok' : response.json().code
}

test('sends secret, answer and address to the provider', async () => {
  expect(await register(turnstile, 'right')).toBe('ok')
  expect(provider.asked).toEqual([{ secret: 'server-secret', response: 'right', remoteip: '127.0.0.1' }])
})

test.each([['wrong'], [''], [null], [undefined]])('refuses the answer %j', async (challenge) => {
  expect(await register(turnstile, challenge)).toBe('captcha.failed')
})

test.each([
  ['right:0.5', 'ok'],
  ['right:0.9', 'ok'],
  ['right:0.49', 'captcha.failed'],
  ['right', 'captcha.failed'],
  ['wrong:0.9', 'captcha.failed'],
])('reCAPTCHA with %s: %s', async (challenge, expected) => {
  expect(await register(recaptcha, challenge)).toBe(expected)
})

test('checks the captcha of log-in and recovery before anything else', async () => {
  const client = createClient(turnstile.app)
  const logIn = await client.post('/api/account/login', { userName: 'nobody', password })
  const recovery = await client.post('/api/account/recovery', { email: 'nobody@example.org' })
  for (const answer of [logIn, recovery]) expect([answer.statusCode, answer.json().code]).toEqual([400, 'captcha.failed'])
  const passed = await client.post('/api/account/login', { userName: 'nobody', password, challenge: 'right' })
  expect(passed.json().code).toBe('login.failed')
})

test('refuses closed registration before it checks the captcha', async () => {
  await setAccountPolicy(turnstile.db, { useCaptcha: true, allowRegister: false })
  expect(await register(turnstile, 'right')).toBe('register.closed')
  expect(provider.asked).toEqual([])
})

test('checks nothing while captchas are off or have no secret key', async () => {
  await setAccountPolicy(turnstile.db, { useCaptcha: false })
  expect(await register(turnstile)).toBe('ok')
  expect(await register(keyless)).toBe('ok')
  expect(provider.asked).toEqual([])
})

test('announces and checks no captcha without provider or public key', async () => {
  for (const context of [withoutSiteKey, withoutProvider]) {
    expect((await createClient(context.app).get('/api/captcha')).json()).toEqual({ type: 'None', siteKey: '' })
    expect(await register(context)).toBe('ok')
  }
  expect(provider.asked).toEqual([])
})

test('refuses log-in while the provider is unreachable', async () => {
  provider.breakDown(true)
  expect(await register(turnstile, 'right')).toBe('captcha.failed')
  provider.breakDown(false)
  expect(await register(turnstile, 'right')).toBe('ok')
})
