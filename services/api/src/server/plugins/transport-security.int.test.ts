import { expect, test } from 'vitest'
import { startTestApp } from '../../testing/app.ts'

test.each([
  ['in production by HTTPS', true, 'https', 'max-age=31536000'],
  ['in production by HTTP', true, 'http', undefined],
  ['in development', false, 'https', undefined],
])('Strict-Transport-Security is sent only in production over HTTPS: %s', async (_name, production, protocol, expected) => {
  const { app, close } = await startTestApp({ config: { production, trustedProxies: true } })
  for (const url of ['/api/config', '/api/nothing', '/healthz']) {
    const answer = await app.inject({ url, headers: { 'x-forwarded-proto': protocol } })
    expect([url, answer.headers['strict-transport-security']]).toEqual([url, expected])
  }
  await close()
})
