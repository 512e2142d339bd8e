import type { Challenge } from '@capstan/contract/challenge'
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, it } from 'vitest'
import { ApiError } from '../../lib/http.ts'
import { aChallenge } from '../../testing/challenge.ts'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { applyFormChanges, findChallengeFaults, toChallengeForm } from './challenge-form.ts'
import type { SectionProps } from './sections.tsx'
import { UnlockCard } from './unlock-card.tsx'

const user = userEvent.setup()
const listed = [
  { id: 7, title: 'Seal', category: 'Crypto', isEnabled: true },
  { id: 8, title: 'Anchor', category: 'Web', isEnabled: true },
  { id: 9, title: 'Bollard', category: 'Misc', isEnabled: false },
]

async function open(changed: Partial<Challenge> = {}, refusal?: SectionProps['refusal']) {
  simulateServer({ 'GET /api/edit/games/3/challenges': { body: listed } })
  const challenge = aChallenge(changed)
  const seen: { rule: Challenge['unlock']; fault: string | undefined } = { rule: null, fault: undefined }
  function Harness() {
    const [form, setForm] = useState(toChallengeForm({ challenge }))
    const faults = findChallengeFaults(form, challenge.type)
    Object.assign(seen, { rule: applyFormChanges(challenge, form).unlock, fault: faults.unlock })
    const set: SectionProps['set'] = (patch) => setForm({ ...form, ...patch })
    return <UnlockCard gameId={3} challengeId={7} form={form} faults={faults} refusal={refusal} set={set} />
  }
  await renderInApp(<Harness />, { areas: ['admin-challenges'] })
  await screen.findByRole('checkbox', { name: /Anchor/ })
  return seen
}

it('the card edits the prerequisites, their required number, the required points, and the visibility while locked', async () => {
  const seen = await open()
  const group = within(screen.getByRole('group', { name: /^Prerequisites/ }))
  expect(group.getAllByRole('checkbox')).toHaveLength(2)
  expect(group.getByRole('checkbox', { name: /Bollard.*disabled/ })).toBeTruthy()
  await user.type(screen.getByRole('searchbox', { name: 'Search challenges' }), 'web')
  expect(group.queryByRole('checkbox', { name: /Bollard/ })).toBeNull()
  await user.click(group.getByRole('checkbox', { name: /Anchor/ }))
  expect(seen.rule).toEqual({ after: [8], count: null, points: null, locked: 'Shown' })
  await user.clear(screen.getByRole('searchbox', { name: 'Search challenges' }))
  await user.click(group.getByRole('checkbox', { name: /Bollard/ }))
  await user.type(screen.getByRole('spinbutton', { name: 'Prerequisites needed' }), '1')
  await user.type(screen.getByRole('spinbutton', { name: 'Points needed' }), '300')
  await user.selectOptions(screen.getByRole('combobox', { name: 'Before it opens' }), 'Hide it')
  expect(seen.rule).toEqual({ after: [8, 9], count: 1, points: 300, locked: 'Hidden' })
})

it('the rule disappears when its last condition is removed', async () => {
  const seen = await open({ unlock: { after: [8], count: null, points: 300, locked: 'Hidden' } })
  await user.click(screen.getByRole('checkbox', { name: /Anchor/ }))
  expect(seen.rule).toEqual({ after: [], count: null, points: 300, locked: 'Hidden' })
  await user.clear(screen.getByRole('spinbutton', { name: 'Points needed' }))
  expect(seen.rule).toBeNull()
})

it.each([
  ['Prerequisites needed', '3'],
  ['Prerequisites needed', '0'],
  ['Points needed', '0'],
])('the field "%s" is invalid with the value %s', async (name, typed) => {
  const seen = await open({ unlock: { after: [8, 9], count: null, points: null, locked: 'Shown' } })
  await user.type(screen.getByRole('spinbutton', { name }), typed)
  expect(seen.fault).toBe('unlock')
  expect(screen.getByRole('alert').textContent).toContain('Prerequisites needed: 1 to')
})

it('the card shows the challenges of the cycle if the server refuses a rule because it would create a cycle', async () => {
  const detail = '"Seal" opens after "Anchor", which opens after "Seal".'
  const error = new ApiError({
    title: 'Challenges cannot unlock each other in a circle',
    status: 400,
    httpStatus: 400,
    code: 'challenge.unlock-cycle',
    detail,
  })
  await open({}, { field: 'unlock', error })
  expect(screen.getByRole('alert').textContent).toBe(`Challenges cannot unlock each other in a circle ${detail}`)
})
