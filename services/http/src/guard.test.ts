import { EventEmitter } from 'node:events'
import { expect, test, vi } from 'vitest'
import { Guard, ignoreSocketErrors } from './guard.ts'

function anExchange() {
  const errors: unknown[] = []
  const part = { destroy: vi.fn() }
  const emitter = new EventEmitter()
  const guard = new Guard({ error: (fields) => errors.push((fields as { err: unknown }).err) }, part)
  return { errors, part, emitter, guard }
}

test.each(['on', 'once'] as const)(
  'if a listener of `%s` throws, the guard destroys its exchange and the sockets in the arguments of the event',
  (method) => {
    const { errors, part, emitter, guard } = anExchange()
    const failure = new Error('ERR_HTTP_SOCKET_ASSIGNED')
    guard[method](emitter, 'response', () => {
      throw failure
    })
    const passed = { destroy: vi.fn() }
    emitter.emit('response', passed, 'text', null)
    expect(errors).toEqual([failure])
    expect(part.destroy).toHaveBeenCalledOnce()
    expect(passed.destroy).toHaveBeenCalledOnce()
  },
)

test('a guard destroys the exchange if the promise of a listener rejects', async () => {
  const { errors, part, emitter, guard } = anExchange()
  guard.on(emitter, 'connection', async () => {
    throw new Error('too late')
  })
  guard.run(() => Promise.reject(new Error('of a timer')))
  emitter.emit('connection')
  await expect.poll(() => errors).toHaveLength(2)
  expect(part.destroy).toHaveBeenCalledTimes(2)
})

test('the `Guard` destroys the last object even if the destruction of an earlier object fails', () => {
  const { errors, emitter } = anExchange()
  const last = { destroy: vi.fn() }
  const broken = {
    destroy() {
      throw new Error('already destroyed')
    },
  }
  new Guard({ error: (fields) => errors.push(fields) }, broken, last).on(emitter, 'data', () => {
    throw new Error('first')
  })
  emitter.emit('data')
  expect(errors).toHaveLength(2)
  expect(last.destroy).toHaveBeenCalledOnce()
})

test.each(['on', 'once'] as const)('`emitter.off` removes a listener that the method `%s` of a `Guard` added', (method) => {
  const { emitter, guard } = anExchange()
  const listener = vi.fn()
  guard[method](emitter, 'close', listener)
  emitter.off('close', listener)
  emitter.emit('close')
  expect(listener).not.toHaveBeenCalled()
})

test('a guard calls a listener of `once` only for the first event', () => {
  const { emitter, guard } = anExchange()
  const listener = vi.fn()
  guard.once(emitter, 'drain', listener)
  emitter.emit('drain', 1)
  emitter.emit('drain', 2)
  expect(listener.mock.calls).toEqual([[1]])
})

test('a socket whose errors are ignored has a listener even after the first error', () => {
  const socket = new EventEmitter()
  ignoreSocketErrors(socket)
  for (let turn = 0; turn < 2; turn += 1) expect(() => socket.emit('error', new Error('read ECONNRESET'))).not.toThrow()
})
