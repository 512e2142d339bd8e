import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { disconnectSignalOf } from './disconnect-signal.ts'

test('the signal aborts when the client disconnects, but not when the request body has been read', async () => {
  const app = Fastify()
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
  const signals: AbortSignal[] = []
  app.post('/', async (request, reply) => {
    const signal = disconnectSignalOf(reply)
    const size = (await Array.fromAsync(request.body as AsyncIterable<Buffer>)).length
    await expect.poll(() => request.raw.closed).toBe(true)
    expect([size > 0, signal.aborted]).toEqual([true, false])
    signals.push(signal)
    if (signals.length > 1) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return 'here'
  })
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const sent = { method: 'POST', body: 'x'.repeat(100_000), headers: { 'content-type': 'a/b' } }
  const answer = await fetch(address, sent)
  expect([answer.status, await answer.text()]).toEqual([200, 'here'])
  const asking = new AbortController()
  const broken = fetch(address, { ...sent, signal: asking.signal }).catch((error: unknown) => error)
  await expect.poll(() => signals.length).toBe(2)
  asking.abort()
  await broken
  await expect.poll(() => signals[1]?.aborted).toBe(true)
  expect(signals[1]?.reason).toMatchObject({ code: 'request.invalid' })
  await app.close()
})
