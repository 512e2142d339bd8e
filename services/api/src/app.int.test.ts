import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTestClient, startTestApp, type TestApp } from './testing/app.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp()
})
afterAll(() => context.close())

test('the health check responds in plain text, and requires no session', async () => {
  const response = await createTestClient(context.app).get('/healthz')
  expect([response.statusCode, response.body, response.headers['content-type']]).toEqual([
    200,
    'Healthy',
    'text/plain; charset=utf-8',
  ])
})

test('an unreachable database affects health and readiness, but not liveness', async () => {
  const away = vi.spyOn(context.app.deps.db, 'ping').mockRejectedValue(new Error('away'))
  const answers = await Promise.all(['/healthz', '/readyz', '/livez'].map((url) => createTestClient(context.app).get(url)))
  away.mockRestore()
  expect(answers.map(({ statusCode, body }) => [statusCode, body])).toEqual([
    [503, 'Unhealthy'],
    [503, 'The database does not respond\nbus up'],
    [200, 'Healthy'],
  ])
})

test.each([
  ['to a call', 'GET', '/api/config'],
  ['to a refused call', 'GET', '/api/account/profile'],
  ['to a call with an invalid body', 'POST', '/api/account/login'],
  ['at an unknown address', 'GET', '/api/nothing/here'],
  ['to another method', 'DELETE', '/api/config'],
  ['at an address that is not UTF-8', 'GET', '/api/posts/%FF'],
  ['with the API description', 'GET', '/api/openapi.json'],
  ['to a readiness probe', 'GET', '/readyz'],
  ['with the metrics', 'GET', '/metrics'],
  ['to an internal call', 'GET', '/internal/session'],
] as const)('the response %s contains X-Content-Type-Options', async (_name, method, url) => {
  const { headers } = await context.app.inject({ method, url })
  expect(headers['x-content-type-options']).toBe('nosniff')
})

test('answers 404 with title, status and code for an unknown path under /api', async () => {
  const response = await createTestClient(context.app).get('/api/nothing/here')
  expect(response.statusCode).toBe(404)
  expect(response.json()).toMatchObject({ title: 'There is nothing at this address', status: 404, code: 'route.not-found' })
})

test('answers an unsupported method on a known path with 405 and the allowed methods', async () => {
  const response = await createTestClient(context.app).post('/HEALTHZ', {})
  expect(response.statusCode).toBe(405)
  expect(response.headers.allow).toBe('GET, HEAD')
})

test('sends the response in the language of Accept-Language', async () => {
  const response = await createTestClient(context.app).inject({
    url: '/healthz',
    headers: { 'accept-language': 'de;q=0.5, ja, en;q=0.1' },
  })
  expect(response.headers['content-language']).toBe('ja-JP')
})
