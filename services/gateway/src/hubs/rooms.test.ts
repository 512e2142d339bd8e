import { expect, it } from 'vitest'
import type { HubConnection } from './hub-connection.ts'
import { Rooms } from './rooms.ts'

it('a room for team news contains only the clients that requested team news', () => {
  const rooms = new Rooms()
  const [member, other] = [{} as HubConnection, {} as HubConnection]
  for (const client of [member, other]) rooms.join(client, 'user', 7)
  const audience = rooms.join(member, 'user', 7, 'member/ann')
  expect([...(rooms.find('user', 7, 'member/ann')?.members ?? [])]).toEqual([member])
  expect(rooms.find('user', 7)?.members.size).toBe(2)
  expect(rooms.find('user', 8, 'member/ann')).toBeUndefined()
  expect(rooms.sizes()).toEqual([{ hub: 'user', gameId: 7, clients: 2 }])
  rooms.leave(audience, member)
  expect(rooms.find('user', 7, 'member/ann')).toBeUndefined()
})
