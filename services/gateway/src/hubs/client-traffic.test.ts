import { expect, it } from 'vitest'
import { ClientTraffic } from './client-traffic.ts'

function traffic() {
  const clock = { now: 1_000 }
  return { clock, traffic: new ClientTraffic(() => clock.now) }
}

it('a client may send 100 messages within 15 s, and again 100 in the next 15 s', () => {
  const { clock, traffic: client } = traffic()
  expect([client.addMessages(1), client.addMessages(99), client.addMessages(1)]).toEqual([true, true, false])
  clock.now += 14_999
  expect(client.addMessages(1)).toBe(false)
  clock.now += 1
  expect([client.addMessages(100), client.addMessages(1)]).toEqual([true, false])
})

it('a client may send 66 KB within 15 s, and again 66 KB in the next 15 s', () => {
  const { clock, traffic: client } = traffic()
  expect(client.addBytes(67_584)).toBe(true)
  client.finishFrame()
  expect(client.addBytes(1)).toBe(false)
  client.finishFrame()
  clock.now += 15_000
  expect([client.addBytes(67_584), client.addBytes(1)]).toEqual([true, false])
})

it('an incomplete frame may have at most 66 KB, even if the client sends the frame slowly', () => {
  const { clock, traffic: client } = traffic()
  expect(client.addBytes(60_000)).toBe(true)
  clock.now += 60_000
  expect(client.addBytes(7_585)).toBe(false)
  client.finishFrame()
  clock.now += 60_000
  expect(client.addBytes(7_585)).toBe(true)
})
