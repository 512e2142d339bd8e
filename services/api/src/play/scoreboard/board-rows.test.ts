import type { ScoreboardTeam } from '@capstan/contract/scoreboard'
import { expect, test } from 'vitest'
import { eachStanding } from './board-rows.ts'

test('rows are read in steps of twenty, and other work runs between the steps', async () => {
  const events: string[] = []
  const board = {
    teamCount: 50,
    leaders(count: number, skip = 0): ScoreboardTeam[] {
      events.push(`read ${count} from ${skip}`)
      setImmediate(() => events.push('other work'))
      return Array.from({ length: Math.min(count, 50 - skip) }, (_, index) => ({ id: skip + index }) as ScoreboardTeam)
    },
  }
  const ids = await Array.fromAsync(eachStanding(board), ({ id }) => id)
  expect(ids).toEqual(Array.from({ length: 50 }, (_, index) => index))
  expect(events).toEqual(['read 20 from 0', 'other work', 'read 20 from 20', 'other work', 'read 10 from 40', 'other work'])
  expect(await Array.fromAsync(eachStanding(board, 21), ({ id }) => id)).toEqual(ids.slice(0, 21))
})
