import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../app.ts'
import { createClient, startTestApp, type TestApp } from '../testing/app.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp()
})
afterAll(() => context.close())

test('a defect is a 500 without a word about its cause, and a line in the log of the admins', async () => {
  const db = new Proxy(context.db, {
    get: () => () => {
      throw new Error('params: flag{secret}')
    },
  })
  const app = await buildApp({ ...context.deps, db })
  const response = await createClient(app).get('/api/posts')
  expect([response.statusCode, response.json()]).toEqual([
    500,
    { title: 'Unknown error', status: 500, code: 'server.unexpected', requestId: expect.any(String) },
  ])
  expect(context.logLines.at(-1)).toMatchObject({
    level: 'Error',
    name: 'System',
    message: `GET /api/posts failed unexpectedly, request ${response.json().requestId}`,
    status: 'Failed',
  })
  await app.close()
})

test('bodies that cannot be read are refused with the reason', async () => {
  const send = async (type: string, payload: string) => {
    const headers = { 'content-type': type }
    const response = await context.app.inject({ method: 'POST', url: '/api/account/login', headers, payload })
    return [response.statusCode, response.json().code]
  }
  expect(await send('application/json', '{"userName":')).toEqual([400, 'request.invalid'])
  expect(await send('text/plain', 'hello')).toEqual([415, 'request.content-type'])
  expect(await send('application/json', JSON.stringify({ userName: 'x'.repeat(9_000_000) }))).toEqual([413, 'request.too-large'])
  expect(await send('application/json', '{"userName":"a\\u0000b","password":"x"}')).toEqual([400, 'request.invalid'])
  expect(await send('application/json', '{"__proto__":{"a":1},"userName":"a","password":"b"}')).toEqual([401, 'login.failed'])
})

test('titles follow Accept-Language, codes stay', async () => {
  const send = (payload: object, language: string) =>
    context.app.inject({ method: 'POST', url: '/api/account/login', headers: { 'accept-language': language }, payload })
  const refused = await send({ userName: 'nobody', password: 'wrong' }, 'ja, en;q=0.5')
  expect(refused.headers['content-language']).toBe('ja-JP')
  expect(refused.json()).toMatchObject({ title: 'ユーザー名またはパスワードが違います', code: 'login.failed' })
  const incomplete = await send({ userName: 'nobody' }, 'de-CH')
  expect(incomplete.headers['content-language']).toBe('de-DE')
  expect(incomplete.json()).toMatchObject({ title: 'password fehlt', code: 'request.invalid' })
  const unknown = await context.app.inject({ url: '/api/nowhere', headers: { 'accept-language': 'zh-HK' } })
  expect(unknown.json()).toMatchObject({ title: '此位址沒有內容', code: 'route.not-found' })
})
