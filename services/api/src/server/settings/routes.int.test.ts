import { InputLimits } from '@capstan/contract/limits'
import { platformSettings } from '@capstan/db/schema/platform'
import { sql } from 'drizzle-orm'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge } from '../../testing/organizing-factories.ts'
import { noMailer } from '../mail/create-mailer.ts'
import type { Mailer } from '../mail/mailer.ts'

let context: TestApp
let admin: TestClient
let visitor: TestClient
beforeAll(async () => {
  context = await startTestApp({
    config: {
      captcha: {
        provider: 'CloudflareTurnstile',
        siteKey: 'public-key',
        secretKey: 's',
        verifyUrl: undefined,
        scoreThreshold: 0.5,
        difficulty: 18,
      },
    },
  })
  admin = (await signInAsNewUser(context, 'Admin')).client
  visitor = createTestClient(context.app)
})
afterAll(() => context.close())
afterEach(() => context.db.execute(sql`delete from platform_settings`))

function picture(color: string) {
  return sharp({ create: { width: 900, height: 300, channels: 3, background: color } })
    .png()
    .toBuffer()
}

test('a new platform has the documented default settings', async () => {
  expect((await visitor.get('/api/config')).json()).toEqual({
    ...{ title: 'CS', slogan: 'Hack for fun not for profit', footerInfo: null, customTheme: null, logoUrl: null },
    ...{ defaultLifetime: 120, extensionDuration: 120, renewalWindow: 10 },
  })
  expect((await admin.get('/api/admin/config')).json()).toEqual({
    accountPolicy: {
      allowRegister: true,
      activeOnRegister: true,
      useCaptcha: false,
      emailConfirmationRequired: false,
      emailDomainList: '',
    },
    globalConfig: {
      ...{ title: 'CS', slogan: 'Hack for fun not for profit', description: null, footerInfo: null, customTheme: null },
      ...{ logoHash: null, faviconHash: null, defaultFlagTemplate: null },
    },
    containerPolicy: {
      ...{ autoDestroyOnLimitReached: false, maxExerciseContainerCountPerUser: 1 },
      ...{ defaultLifetime: 120, extensionDuration: 120, renewalWindow: 10 },
    },
  })
})

test.each([
  ['the name', { globalConfig: { title: 'a\ud800' } }],
  ['the slogan', { globalConfig: { slogan: '\udfff' } }],
  ['the description', { globalConfig: { description: '\ud800\ud800' } }],
  ['the footer', { globalConfig: { footerInfo: '\udc00 text' } }],
  ['the preset of flags', { globalConfig: { defaultFlagTemplate: 'flag{[GUID]\ud800}' } }],
  ['the e-mail domains', { accountPolicy: { emailDomainList: 'uni.edu,\ud800.edu' } }],
])('refuses %s if it contains half of a surrogate pair, and changes nothing', async (_name, change) => {
  const before = (await admin.get('/api/admin/config')).json()
  const answer = await admin.put('/api/admin/config', change)
  expect([answer.statusCode, answer.json().code]).toEqual([400, 'request.invalid'])
  expect((await admin.get('/api/admin/config')).json()).toEqual(before)
})

test('returns stored settings that exceed a newer limit, and still accepts changes to other settings', async () => {
  const title = 'n'.repeat(InputLimits.maxTitleLength + 1)
  await context.db.insert(platformSettings).values({ section: 'globalConfig', value: { title } })
  expect((await admin.get('/api/admin/config')).json().globalConfig.title).toBe(title)
  expect((await visitor.get('/api/config')).json().title).toBe(title)
  expect((await admin.put('/api/admin/config', { globalConfig: { slogan: 'New' } })).statusCode).toBe(200)
  expect((await admin.put('/api/admin/config', { globalConfig: { title } })).statusCode).toBe(400)
})

test('a change ignores sections that are absent or null, and applies at once', async () => {
  await admin.put('/api/admin/config', { containerPolicy: { defaultLifetime: 30, extensionDuration: 20, renewalWindow: 5 } })
  await admin.put('/api/admin/config', { globalConfig: { title: 'Harbour', customTheme: '#12ABef' }, containerPolicy: null })
  expect((await visitor.get('/api/config')).json()).toMatchObject({
    title: 'Harbour',
    customTheme: '#12abef',
    defaultLifetime: 30,
    renewalWindow: 5,
  })
})

test('null retains a setting, an empty string clears it, hashes are ignored, and invalid colors are dropped', async () => {
  await admin.put('/api/admin/config', {
    globalConfig: { title: 'A', description: 'about', footerInfo: 'foot', customTheme: '#112233' },
  })
  await admin.put('/api/admin/config', {
    globalConfig: { description: null, footerInfo: '', customTheme: 'red', logoHash: 'f'.repeat(64) },
  })
  expect((await admin.get('/api/admin/config')).json().globalConfig).toMatchObject({
    ...{ title: 'A', description: 'about', footerInfo: null, customTheme: null, logoHash: null },
  })
  await admin.put('/api/admin/config', { globalConfig: { title: '' } })
  expect((await visitor.get('/api/config')).json().title).toBe('CS')
})

test('a setting out of range is refused, and the call changes nothing', async () => {
  for (const containerPolicy of [
    { defaultLifetime: 0 },
    { defaultLifetime: 7201 },
    { renewalWindow: 361 },
    { extensionDuration: 1.5 },
  ]) {
    expect((await admin.put('/api/admin/config', { containerPolicy })).statusCode).toBe(400)
  }
  expect((await visitor.get('/api/config')).json()).toMatchObject({
    defaultLifetime: 120,
    renewalWindow: 10,
    extensionDuration: 120,
  })
})

test('the captcha is announced only while it is in use', async () => {
  expect((await visitor.get('/api/captcha')).json()).toEqual({ type: 'None', siteKey: '' })
  await admin.put('/api/admin/config', { accountPolicy: { useCaptcha: true } })
  expect((await visitor.get('/api/captcha')).json()).toEqual({ type: 'CloudflareTurnstile', siteKey: 'public-key' })
})

test('stores an image as logo and favicon, deletes the previous image, and can reset both to the built-in image', async () => {
  const mark = await visitor.get('/favicon.webp')
  expect([mark.statusCode, mark.headers['content-type'], mark.headers.etag]).toEqual([200, 'image/webp', '"favicon-00000000"'])
  const upload = async (color: string) =>
    admin.upload('POST', '/api/admin/config/logo', [{ name: 'l.png', type: 'image/png', content: await picture(color) }])
  const first = await upload('red')
  expect([first.statusCode, first.body]).toEqual([200, ''])
  const { logoUrl } = (await visitor.get('/api/config')).json()
  const logo = await visitor.get(logoUrl)
  expect(await sharp(logo.rawPayload).metadata()).toMatchObject({ format: 'webp', width: 640 })
  const favicon = await visitor.get('/favicon.webp')
  expect(await sharp(favicon.rawPayload).metadata()).toMatchObject({ format: 'webp', width: 256 })
  const again = await visitor.inject({ url: '/favicon.webp', headers: { 'if-none-match': favicon.headers.etag as string } })
  expect(again.statusCode).toBe(304)
  await upload('blue')
  expect((await visitor.get(logoUrl)).statusCode).toBe(404)
  await admin.delete('/api/admin/config/logo')
  expect((await visitor.get('/api/config')).json().logoUrl).toBeNull()
  expect(await context.sql`select hash from files`).toHaveLength(0)
})

test('retains the logo after a challenge used the same file as attachment and then removed the attachment', async () => {
  await admin.upload('POST', '/api/admin/config/logo', [{ name: 'logo.png', type: 'image/png', content: await picture('green') }])
  const { logoUrl } = (await visitor.get('/api/config')).json()
  const [, , fileHash] = logoUrl.split('/')
  const { gameId, id } = await aChallenge(context.db)
  const attachment = `/api/edit/games/${gameId}/challenges/${id}/attachment`
  expect((await admin.post(attachment, { attachmentType: 'Local', fileHash })).statusCode).toBe(200)
  expect((await admin.post(attachment, { attachmentType: 'None' })).statusCode).toBe(200)
  expect((await visitor.get(logoUrl)).statusCode).toBe(200)
})

test('serves the favicon as WebP for a logo in any format', async () => {
  const gif = await sharp({ create: { width: 300, height: 300, channels: 3, background: 'red' } })
    .gif()
    .toBuffer()
  await admin.upload('POST', '/api/admin/config/logo', [{ name: 'l.gif', type: 'image/gif', content: gif }])
  const favicon = await visitor.get('/favicon.webp')
  expect(favicon.headers['content-type']).toBe('image/webp')
  expect(await sharp(favicon.rawPayload).metadata()).toMatchObject({ format: 'webp', width: 256 })
  await admin.delete('/api/admin/config/logo')
})

test('lets only admins read and change the settings', async () => {
  const { client: monitor } = await signInAsNewUser(context, 'Monitor')
  expect((await visitor.get('/api/admin/config')).statusCode).toBe(401)
  expect((await monitor.put('/api/admin/config', { globalConfig: { title: 'Mine' } })).statusCode).toBe(403)
  expect((await monitor.delete('/api/admin/config/logo')).statusCode).toBe(403)
})

test('sends a test mail at once in the language of the admin', async () => {
  const answer = await admin.post('/api/admin/config/mail', { recipient: 'crew@example.org' })
  expect(answer.statusCode).toBe(200)
  expect(context.mails.at(-1)).toMatchObject({ recipient: 'crew@example.org', subject: 'CS - Test email' })
  expect((await admin.post('/api/admin/config/mail', { recipient: 'nobody' })).json().code).toBe('request.invalid')
})

test('refuses a test mail if there is no mail server, or if the mail server refuses the mail', async () => {
  const send = async (mailer: Mailer) => {
    const other = await startTestApp({ mailer })
    const { client } = await signInAsNewUser(other, 'Admin')
    const { code, detail } = (await client.post('/api/admin/config/mail', { recipient: 'crew@example.org' })).json()
    await other.close()
    return [code, detail]
  }
  expect(await send(noMailer)).toEqual(['email.no-server', undefined])
  const refusing: Mailer = { ...noMailer, isConfigured: true, send: () => Promise.reject(new Error('550 no such\r\nmailbox')) }
  expect(await send(refusing)).toEqual(['email.refused', '550 no such mailbox'])
})

test('stores and deletes the URL of the source code, and refuses a URL with credentials', async () => {
  const at = '/api/admin/config/project'
  const read = async () => (await admin.get(at)).json()
  expect(await read()).toEqual({ repositoryUrl: null })
  const repositoryUrl = 'https://git.example.org/fork?a=b'
  expect((await admin.put(at, { repositoryUrl })).json()).toEqual({ repositoryUrl })
  for (const bad of [
    '',
    'git.example.org',
    'javascript:alert(1)',
    'https://a b',
    'https://',
    'https://me:key@git.example.org',
    7,
  ]) {
    const refused = await admin.put(at, { repositoryUrl: bad })
    expect([refused.statusCode, refused.json().detail]).toEqual([400, '/repositoryUrl'])
  }
  expect(await read()).toEqual({ repositoryUrl })
  // The URL of the source code is a separate setting, so a change of the other settings does not affect the URL.
  expect((await admin.get('/api/admin/config')).json()).not.toHaveProperty('project')
  await admin.put('/api/admin/config', { globalConfig: { slogan: 'x' } })
  expect(await read()).toEqual({ repositoryUrl })
  expect((await admin.put(at, { repositoryUrl: null })).json()).toEqual({ repositoryUrl: null })
})
