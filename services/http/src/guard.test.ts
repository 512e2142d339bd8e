import { EventEmitter } from 'node:events'
import { expect, test, vi } from 'vitest'
import { Guard, surviveErrors } from './guard.ts'

function anExchange() {
  const errors: unknown[] = []
  const part = { destroy: vi.fn() }
  const emitter = new EventEmitter()
  const guard = new Guard({ error: (fields) => errors.push((fields as { err: unknown }).err) }, part)
  return { errors, part, emitter, guard }
}

test.each(['on', 'once'] as const)('a listener of %s that throws ends its exchange and the arguments of the event', (method) => {
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
})

test('a rejected promise of a listener ends its exchange', async () => {
  const { errors, part, emitter, guard } = anExchange()
  guard.on(emitter, 'connection', async () => {
    throw new Error('too late')
  })
  guard.run(() => Promise.reject(new Error('of a timer')))
  emitter.emit('connection')
  await vi.waitFor(() => expect(errors).toHaveLength(2))
  expect(part.destroy).toHaveBeenCalledTimes(2)
})

test('a part that cannot be destroyed does not prevent the end of the others', () => {
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

test.each(['on', 'once'] as const)('a listener of %s is removed by the original function', (method) => {
  const { emitter, guard } = anExchange()
  const listener = vi.fn()
  guard[method](emitter, 'close', listener)
  emitter.off('close', listener)
  emitter.emit('close')
  expect(listener).not.toHaveBeenCalled()
})

test('a listener of once is called for the first event only', () => {
  const { emitter, guard } = anExchange()
  const listener = vi.fn()
  guard.once(emitter, 'drain', listener)
  emitter.emit('drain', 1)
  emitter.emit('drain', 2)
  expect(listener.mock.calls).toEqual([[1]])
})

test('a socket that survives errors retains its listener', () => {
  const socket = new EventEmitter()
  surviveErrors(socket)
  for (let turn = 0; turn < 2; turn += 1) expect(() => socket.emit('error', new Error('read ECONNRESET'))).not.toThrow()
})
