import type { ChallengeBrief } from '@capstan/contract/challenges'
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { show } from '../../testing/render.tsx'
import { answering } from '../../testing/server.ts'
import { changedLabels, EditMany, SwitchMany } from './many-challenges.tsx'

const user = userEvent.setup()
const challenges = [
  { id: 2, title: 'Buoy', category: 'Web', isEnabled: false },
  { id: 3, title: 'Capstan', category: 'Misc', isEnabled: false },
] as ChallengeBrief[]
const areas = ['admin-challenges', 'challenges', 'editing'] as const
function changes(asked: ReturnType<typeof answering>) {
  return asked.filter(({ method }) => method === 'PUT').map(({ address, body }) => [address, body])
}

describe('changing many challenges', () => {
  it('enables them, and shows refused ones with a reason and a retry', async () => {
    let hasFlag = false
    const asked = answering({
      'PUT /api/edit/games/7/challenges/2': { body: { ...challenges[0], isEnabled: true } },
      'PUT /api/edit/games/7/challenges/3': () =>
        hasFlag
          ? { body: { ...challenges[1], isEnabled: true } }
          : { status: 400, body: { title: 'It has no flag', status: 400, code: 'challenge.no-flag' } },
    })
    let done: readonly ChallengeBrief[] = []
    await show(<SwitchMany gameId={7} challenges={challenges} isEnabled onClose={(which) => (done = which)} />, { areas })
    await user.click(await screen.findByRole('button', { name: 'Enable 2 challenges' }))
    await screen.findByText(/It has no flag/)
    hasFlag = true
    await user.click(screen.getByRole('button', { name: 'Enable 1 challenge' }))
    await waitFor(() => expect(done).toEqual(challenges))
    expect(changes(asked)).toHaveLength(3)
  })

  it('sets category and tags and retains unchanged labels', async () => {
    const asked = answering({
      'PUT /api/edit/games/7/challenges/3': { body: { ...challenges[1], category: 'Web' } },
      'PUT /api/edit/games/7/challenges/2/labels': { body: {} },
      'PUT /api/edit/games/7/challenges/3/labels': { body: {} },
      'GET /api/edit/games/7/challenges/labels': {
        body: [
          { id: 2, tags: ['rope'], difficulty: 'easy' },
          { id: 3, tags: [], difficulty: null },
        ],
      },
    })
    let isClosed = false
    await show(<EditMany gameId={7} challenges={challenges} labels={[]} onClose={() => (isClosed = true)} />, { areas })
    const submit = await screen.findByRole<HTMLButtonElement>('button', { name: 'Change 2 challenges' })
    expect(submit.disabled).toBe(true)
    await user.selectOptions(screen.getByRole('combobox', { name: 'Category' }), 'Web')
    await user.type(screen.getByRole('combobox', { name: 'Add tags' }), 'warm-up,')
    await user.click(submit)
    await waitFor(() => expect(isClosed).toBe(true))
    expect(changes(asked)).toEqual([
      ['/api/edit/games/7/challenges/2/labels', { tags: ['rope', 'warm-up'], difficulty: 'easy' }],
      ['/api/edit/games/7/challenges/3', { category: 'Web' }],
      ['/api/edit/games/7/challenges/3/labels', { tags: ['warm-up'], difficulty: null }],
    ])
  })
})

describe('changed labels', () => {
  const labels = { tags: ['Rope', 'sail'], difficulty: 'easy' } as const
  const before = { ...labels, tags: [...labels.tags] }
  it.each([
    [
      { difficulty: '', add: [], take: ['rope'] },
      { tags: ['sail'], difficulty: 'easy' },
    ],
    [
      { difficulty: 'none', add: [], take: [] },
      { tags: ['Rope', 'sail'], difficulty: null },
    ],
    [
      { difficulty: 'hard', add: ['ROPE', 'knot'], take: [] },
      { tags: ['Rope', 'sail', 'knot'], difficulty: 'hard' },
    ],
  ] as const)('%j', (change, after) => {
    expect(changedLabels(before, change)).toEqual(after)
  })

  it('are the same object if nothing differs', () => {
    expect(changedLabels(before, { difficulty: 'easy', add: ['sail'], take: ['knot'] })).toBe(before)
  })
})
