import type { PlayerBoard } from '@capstan/contract/scoreboard'
import { screen } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { useSeenChallenges } from '../../stores/seen-challenges.ts'
import { idsOfUser } from '../../stores/user-ids.ts'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { findUnseenChallenges, useNewChallenges } from './new-challenges.ts'

it.each([
  ['the first visit', [1, 2], [], []],
  ['the first visit after a visit of another game', [1, 2], [90], []],
  ['a visit without changes', [1, 2], [1, 2], []],
  ['a visit after two were added', [1, 2, 3, 0], [1, 2, 90], [3, 0]],
])('on %s, if the challenges %j exist and the user has seen %j, the new ones are %j', (_, ids, seen, expected) => {
  expect([...findUnseenChallenges(ids, new Set(seen))]).toEqual(expected)
})

const userId = '00000000-0000-4000-8000-000000000001'
function boardOf(...ids: number[]) {
  return { challenges: { Misc: ids.map((id) => ({ id })) } } as unknown as PlayerBoard
}

function Probe({ board, opened }: Readonly<{ board: PlayerBoard | undefined; opened: number | undefined }>) {
  return <output>{[...useNewChallenges(board, opened)].join()}</output>
}

describe('new challenges of a board', () => {
  beforeEach(() => {
    localStorage.clear()
    useSeenChallenges.setState({ ids: { [userId]: [1, 2] } })
    simulateServer({ 'GET /api/account/profile': { body: { userId, userName: 'mira', role: 'User' } } })
  })
  const text = () => screen.getByRole('status').textContent

  it('challenges remain new during the visit, but not on the next visit', async () => {
    const { unmount } = await renderInApp(<Probe board={boardOf(1, 2, 5)} opened={undefined} />)
    await expect.poll(text).toBe('5')
    await expect.poll(() => idsOfUser(useSeenChallenges.getState(), userId)).toEqual([1, 2, 5])
    expect(text()).toBe('5')
    unmount()
    await renderInApp(<Probe board={boardOf(1, 2, 5)} opened={undefined} />)
    await expect.poll(() => idsOfUser(useSeenChallenges.getState(), userId)).toEqual([1, 2, 5])
    expect(text()).toBe('')
  })

  it('challenges are no longer new after the user has opened them', async () => {
    await renderInApp(<Probe board={boardOf(1, 2, 5, 6)} opened={5} />)
    await expect.poll(text).toBe('6')
  })
})
