import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { listSolvers } from './all-solvers.tsx'
import { LatestSolvers } from './solvers.tsx'

const user = userEvent.setup()
function at(minute: number) {
  return new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
}
const challenge = { id: 7, title: 'Winch' }

it('the list isolates the text direction of a team name', async () => {
  const latest = [
    { id: 4, name: 'ميناء 7', avatar: null, type: 'FirstBlood' as const, time: at(0) },
    { id: 5, name: 'Salty Dogs', avatar: null, type: 'Normal' as const, time: at(1) },
  ]
  await renderInApp(
    <LatestSolvers gameId={3} challenge={challenge} count={2} latest={latest} ownTeamId={4} isSolved hasOpenBlood={false} />,
    {
      areas: ['challenges'],
    },
  )
  expect(latest.map(({ name }) => screen.getByText(name).tagName)).toEqual(['BDI', 'BDI'])
  expect(screen.queryByRole('button')).toBeNull()
})

/**
 * Returns a team that solved challenge 8 at minute 0. The team solves challenge 7 at minute `minute`, or never if `minute` is
 * undefined.
 */
function team(id: number, minute?: number) {
  return {
    ...{ id, name: `Team ${id}`, bio: null, organization: null, avatar: null, score: 10, rank: id, organizationRank: null },
    ...{ lastSubmissionTime: at(0), solvedCount: 1 },
    solvedChallenges: [
      { id: 8, score: 1, type: 'Normal' as const, userName: 'mira', time: at(0) },
      ...(minute === undefined ? [] : [{ id: 7, score: 1, type: 'Normal' as const, userName: 'mira', time: at(minute) }]),
    ],
  }
}

describe('all solvers of a challenge', () => {
  it('the dialog lists solvers in the order of their solves, and excludes teams that solved only other challenges', () => {
    const items = [team(1, 30), team(2), team(3, 5), team(4, 30)]
    expect(listSolvers({ items }, 7).map(({ team: { id } }) => id)).toEqual([3, 1, 4])
    expect(listSolvers({ items: [] }, 7)).toEqual([])
  })

  it('a click on the number of other teams opens the list of solvers, and each further click shows more', async () => {
    const items = Array.from({ length: 60 }, (_, index) => team(index + 1, 60 - index))
    simulateServer({
      'GET /api/game/3/scoreboard': {
        body: { updateTimeUtc: at(0), bloodBonus: 0, timeLines: {}, challenges: {}, challengeCount: 2, items },
      },
      'GET /api/profiles/games/3/closed': { body: [] },
    })
    await renderInApp(
      <LatestSolvers gameId={3} challenge={challenge} count={60} latest={[]} ownTeamId={60} isSolved hasOpenBlood={false} />,
      {
        areas: ['challenges'],
      },
    )
    await user.click(screen.getByRole('button', { name: 'and 60 more teams' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Teams that solved Winch' }))
    expect((await dialog.findAllByRole('listitem')).length).toBe(50)
    expect(dialog.getAllByRole('listitem')[0]?.textContent).toContain('Team 60')
    await user.click(dialog.getByRole('button', { name: 'Show more' }))
    expect(dialog.getAllByRole('listitem')).toHaveLength(60)
    expect(dialog.queryByRole('button', { name: 'Show more' })).toBeNull()
  })
})
