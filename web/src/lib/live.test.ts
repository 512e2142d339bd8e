import { describe, expect, it } from 'vitest'
import { addressOfHub, createHubConnections, type HubConnection } from './live.ts'

/** Simulated transport between a page and a hub. */
function transport() {
  const handlers = new Map<string, (payload: never) => void>()
  const state = {
    started: 0,
    stopped: 0,
    fails: false,
    again: () => undefined as unknown,
    lost: () => undefined as unknown,
    closed: () => undefined as unknown,
  }
  const connection: HubConnection = {
    start: async () => {
      if (state.fails) throw new Error('refused')
      state.started += 1
    },
    stop: async () => {
      state.stopped += 1
    },
    on: (target, handler) => void handlers.set(target, handler),
    onreconnecting: (handler) => {
      state.lost = handler
    },
    onreconnected: (handler) => {
      state.again = handler
    },
    onclose: (handler) => {
      state.closed = handler
    },
  }
  return { state, connection, send: (target: string, payload: unknown) => handlers.get(target)?.(payload as never) }
}

describe('a hub connection', () => {
  it('listeners of the same address share a hub connection, which closes with the last listener', async () => {
    const { state, connection, send } = transport()
    const opened: string[] = []
    const live = createHubConnections(async (address) => {
      opened.push(address)
      return connection
    })
    const heard: unknown[] = []
    const first = live.listen('/hub/user?game=1', { target: 'ReceivedGameNotice', handle: (payload) => heard.push(payload) })
    const second = live.listen('/hub/user?game=1', { target: 'ReceivedGameNotice', handle: (payload) => heard.push(payload) })
    await expect.poll(() => live.state('/hub/user?game=1')).toBe('live')
    expect(opened).toEqual(['/hub/user?game=1'])
    send('ReceivedGameNotice', { id: 7 })
    expect(heard).toEqual([{ id: 7 }, { id: 7 }])
    first()
    send('ReceivedGameNotice', { id: 8 })
    expect(heard).toHaveLength(3)
    second()
    await expect.poll(() => state.stopped).toBe(1)
    expect(live.state(undefined)).toBe('idle')
  })

  it('a hub connection notifies its listeners after a reconnect, so that they read missed data', async () => {
    const { state, connection } = transport()
    const live = createHubConnections(async () => connection)
    let back = 0
    live.listen('/hub/admin', { reconnected: () => (back += 1) })
    expect(live.state('/hub/admin')).toBe('connecting')
    await expect.poll(() => live.state('/hub/admin')).toBe('live')
    state.lost()
    expect(live.state('/hub/admin')).toBe('reconnecting')
    state.again()
    expect(live.state('/hub/admin')).toBe('live')
    expect(back).toBe(1)
  })

  it('a hub connection changes to polling if it cannot connect', async () => {
    const { state, connection } = transport()
    state.fails = true
    const live = createHubConnections(async () => connection)
    live.listen('/hub/admin', { reconnected: () => undefined })
    await expect.poll(() => live.state('/hub/admin')).toBe('polling')
  })
})

it('a hub has no address while the page does not know the game id that the address needs', () => {
  expect(addressOfHub('user', 4)).toBe('/hub/user?game=4&team=true')
  expect(addressOfHub('monitor', undefined)).toBeUndefined()
  expect(addressOfHub('admin', undefined)).toBe('/hub/admin')
})
