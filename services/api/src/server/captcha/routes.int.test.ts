import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp } from '../../testing/app.ts'
import { password, setAccountPolicy } from '../../testing/people-factories.ts'
import type { CaptchaConfig } from '../config.ts'

/**
 * Simulates the verification calls of Turnstile and reCAPTCHA. They accept only the captcha answers `right` and `right:<score>`.
 */
async function startProvider() {
  const asked: Record<string, string>[] = []
  let isBroken = false
  let target: string | undefined
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
      if (target !== undefined) {
        response.writeHead(307, { location: target }).end()
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
    redirectTo: (address: string | undefined) => {
      target = address
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
let proofOfWork: TestApp
function withCaptcha(captcha: Partial<CaptchaConfig>) {
  return startTestApp({
    config: {
      captcha: {
        provider: 'CloudflareTurnstile',
        siteKey: 'public-key',
        secretKey: 'server-secret',
        verifyUrl: provider.url,
        scoreThreshold: 0.5,
        difficulty: 8,
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
  proofOfWork = await withCaptcha({ provider: 'HashPow', siteKey: '', secretKey: '' })
})
beforeEach(async () => {
  for (const { db } of [turnstile, recaptcha, keyless, withoutSiteKey, withoutProvider, proofOfWork])
    await setAccountPolicy(db, { useCaptcha: true })
  provider.asked.splice(0)
})
afterAll(async () => {
  for (const context of [turnstile, recaptcha, keyless, withoutSiteKey, withoutProvider, proofOfWork]) await context.close()
  provider.close()
})

let serial = 0
async function register({ app }: TestApp, challenge?: string | null) {
  const userName = `human${++serial}`
  const body = { userName, email: `${userName}@example.org`, password, ...(challenge !== undefined && { challenge }) }
  const response = await createTestClient(app).post('/api/account/register', body)
  return response.statusCode === 200 ? 'ok' : response.json().code
}

test('the provider of the captcha receives the secret key, the captcha answer and the client address', async () => {
  expect(await register(turnstile, 'right')).toBe('ok')
  expect(provider.asked).toEqual([{ secret: 'server-secret', response: 'right', remoteip: '127.0.0.1' }])
})

test.each([['wrong'], [''], [null], [undefined]])('refuses the captcha answer %j', async (challenge) => {
  expect(await register(turnstile, challenge)).toBe('captcha.failed')
})

test.each([
  ['right:0.5', 'ok'],
  ['right:0.9', 'ok'],
  ['right:0.49', 'captcha.failed'],
  ['right', 'captcha.failed'],
  ['wrong:0.9', 'captcha.failed'],
])('a reCAPTCHA answer %s results in: %s', async (challenge, expected) => {
  expect(await register(recaptcha, challenge)).toBe(expected)
})

test('log-in and recovery check the captcha before all other data', async () => {
  const client = createTestClient(turnstile.app)
  const logIn = await client.post('/api/account/login', { userName: 'nobody', password })
  const recovery = await client.post('/api/account/recovery', { email: 'nobody@example.org' })
  for (const answer of [logIn, recovery]) expect([answer.statusCode, answer.json().code]).toEqual([400, 'captcha.failed'])
  const passed = await client.post('/api/account/login', { userName: 'nobody', password, challenge: 'right' })
  expect(passed.json().code).toBe('login.failed')
})

test('closed registration is refused before the captcha is checked', async () => {
  await setAccountPolicy(turnstile.db, { useCaptcha: true, allowRegister: false })
  expect(await register(turnstile, 'right')).toBe('register.closed')
  expect(provider.asked).toEqual([])
})

test('no captcha is checked if captchas are off or the secret key is missing', async () => {
  await setAccountPolicy(turnstile.db, { useCaptcha: false })
  expect(await register(turnstile)).toBe('ok')
  expect(await register(keyless)).toBe('ok')
  expect(provider.asked).toEqual([])
})

test('a captcha is neither announced nor checked if the provider or the public key is missing', async () => {
  for (const context of [withoutSiteKey, withoutProvider]) {
    expect((await createTestClient(context.app).get('/api/captcha')).json()).toEqual({ type: 'None', siteKey: '' })
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

test('sends the secret key to no other server if the provider redirects', async () => {
  const other = await startProvider()
  provider.redirectTo(other.url)
  expect(await register(turnstile, 'right')).toBe('captcha.failed')
  provider.redirectTo(undefined)
  expect([provider.asked.length, other.asked.length]).toEqual([1, 0])
  other.close()
})

describe('proof of work as a captcha', () => {
  /**
   * Returns a solution of a new proof-of-work puzzle.
   * @param isRight false for a wrong solution, whose hash lacks the required zero bits
   */
  async function answerOf(isRight = true): Promise<string> {
    const { id, challenge, difficulty } = (await createTestClient(proofOfWork.app).get('/api/captcha/powchallenge')).json()
    expect([id, challenge, difficulty]).toEqual([
      expect.stringMatching(/^[0-9a-f]{12}$/),
      expect.stringMatching(/^[0-9a-f]{16}$/),
      8,
    ])
    for (let nonce = 0; ; nonce++) {
      const digits = nonce.toString(16).padStart(16, '0')
      const [first] = createHash('sha256')
        .update(Buffer.from(`${challenge}${digits}`, 'hex'))
        .digest()
      if ((first === 0) === isRight) return `${id}:${digits}`
    }
  }

  test('clients see that proof of work is required, without a public key', async () => {
    expect((await createTestClient(proofOfWork.app).get('/api/captcha')).json()).toEqual({ type: 'HashPow', siteKey: '' })
  })

  test('a right solution is accepted only once, in upper or lower case', async () => {
    const answer = await answerOf()
    const answers = await Promise.all(Array.from({ length: 8 }, () => register(proofOfWork, answer)))
    expect(answers.toSorted()).toEqual([...Array(7).fill('captcha.failed'), 'ok'])
    expect(await register(proofOfWork, (await answerOf()).toUpperCase())).toBe('ok')
  })

  test('wrong and malformed solutions, and solutions of unknown puzzles, are refused', async () => {
    for (const answer of [await answerOf(false), '', `${await answerOf()}00`, 'right', `${'0'.repeat(12)}:${'0'.repeat(16)}`])
      expect(await register(proofOfWork, answer)).toBe('captcha.failed')
  })

  test('a right solution of a puzzle is refused after a wrong solution of the same puzzle', async () => {
    const wrong = await answerOf(false)
    const right = await answerOf()
    expect(await register(proofOfWork, wrong)).toBe('captcha.failed')
    expect(await register(proofOfWork, wrong.slice(0, 12) + right.slice(12))).toBe('captcha.failed')
    expect(await register(proofOfWork, right)).toBe('ok')
  })

  test('a solution is accepted for five minutes after the puzzle was created', async () => {
    const [early, late] = [await answerOf(), await answerOf()]
    proofOfWork.clock.advanceMs(5 * 60_000 - 1)
    expect(await register(proofOfWork, early)).toBe('ok')
    proofOfWork.clock.advanceMs(1)
    expect(await register(proofOfWork, late)).toBe('captcha.failed')
  })

  test('log-in and recovery also require proof of work', async () => {
    const client = createTestClient(proofOfWork.app)
    const body = { userName: 'unknown', password, challenge: await answerOf() }
    expect((await client.post('/api/account/login', body)).json().code).toBe('login.failed')
    expect((await client.post('/api/account/login', body)).json().code).toBe('captcha.failed')
    const recovery = await client.post('/api/account/recovery', { email: 'unknown@example.org', challenge: await answerOf() })
    expect(recovery.json().code).not.toBe('captcha.failed')
  })

  test('no puzzle is created if another captcha is configured', async () => {
    for (const context of [turnstile, withoutProvider]) {
      const answer = await createTestClient(context.app).get('/api/captcha/powchallenge')
      expect([answer.statusCode, answer.json().code]).toEqual([404, 'captcha.no-proof-of-work'])
    }
  })
})
