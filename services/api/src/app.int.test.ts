import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createClient, startTestApp, type TestApp } from './testing/app.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp()
})
afterAll(() => context.close())

test('health answers as plain text without a session', async () => {
  const response = await createClient(context.app).get('/healthz')
  expect([response.statusCode, response.body, response.headers['content-type']]).toEqual([
    200,
    'Healthy',
    'text/plain; charset=utf-8',
  ])
})

test('a database that is away is told, and is no reason to restart the process', async () => {
  const away = vi.spyOn(context.app.deps.db, 'ping').mockRejectedValue(new Error('away'))
  const answers = await Promise.all(['/healthz', '/readyz', '/livez'].map((url) => createClient(context.app).get(url)))
  away.mockRestore()
  expect(answers.map(({ statusCode, body }) => [statusCode, body])).toEqual([
    [503, 'Unhealthy'],
    [503, 'The database does not answer\nbus up'],
    [200, 'Healthy'],
  ])
})

test.each([
  ['of a call', 'GET', '/api/config'],
  ['of a refused call', 'GET', '/api/account/profile'],
  ['of a call with a wrong body', 'POST', '/api/account/login'],
  ['of an unknown address', 'GET', '/api/nothing/here'],
  ['of another method', 'DELETE', '/api/config'],
  ['of an address that cannot be read', 'GET', '/api/posts/%FF'],
  ['of the API description', 'GET', '/api/openapi.json'],
  ['of the health check', 'GET', '/readyz'],
  ['of the metrics', 'GET', '/metrics'],
  ['between the processes', 'GET', '/internal/session'],
] as const)('no browser guesses what the answer %s is', async (_name, method, url) => {
  const { headers } = await context.app.inject({ method, url })
  expect(headers['x-content-type-options']).toBe('nosniff')
})

test('an unknown path under /api is a JSON 404 with title, status and code', async () => {
  const response = await createClient(context.app).get('/api/nothing/here')
  expect(response.statusCode).toBe(404)
  expect(response.json()).toMatchObject({ title: 'There is nothing at this address', status: 404, code: 'route.not-found' })
})

test('a known path with another method is a 405 that lists the right ones', async () => {
  const response = await createClient(context.app).post('/HEALTHZ', {})
  expect(response.statusCode).toBe(405)
  expect(response.headers.allow).toBe('GET, HEAD')
})

test('answers name their language', async () => {
  const response = await createClient(context.app).inject({
    url: '/healthz',
    headers: { 'accept-language': 'de;q=0.5, ja, en;q=0.1' },
  })
  expect(response.headers['content-language']).toBe('ja-JP')
})
