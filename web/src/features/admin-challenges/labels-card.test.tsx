import type { LabeledChallenge } from '@capstan/contract/challenge-labels'
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, it } from 'vitest'
import { aChallenge, createFullTestChallenge } from '../../testing/challenge.ts'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { type ChallengeForm, toChallengeForm } from './challenge-form.ts'
import { LabelsCard, listTagSuggestions } from './labels-card.tsx'

const user = userEvent.setup()
const list = 'GET /api/edit/games/3/challenges/labels'

function Card({ tags }: { readonly tags: string[] }) {
  const [form, setForm] = useState({ ...toChallengeForm(createFullTestChallenge(aChallenge())), tags } as ChallengeForm)
  return <LabelsCard gameId={3} form={form} set={(patch) => setForm((known) => ({ ...known, ...patch }))} />
}

async function open(tags: string[] = ['heap']) {
  const asked = simulateServer({ [list]: { body: [{ id: 8, tags: ['rop', 'Heap'], difficulty: 'easy' }] } })
  await renderInApp(<Card tags={tags} />, { areas: ['admin-challenges', 'challenges', 'editing'] })
  await screen.findByRole('combobox', { name: 'Tags' })
  return () => asked.filter(({ method }) => method !== 'GET')
}

function box() {
  return screen.getByRole<HTMLInputElement>('combobox', { name: 'Tags' })
}
function chips() {
  return within(screen.getByRole('list', { name: 'Tags of this challenge' }))
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent)
}

it('Enter, a comma and pasted lists add tags without duplicates, and send no request', async () => {
  const sent = await open()
  await user.type(box(), 'rop{Enter}')
  await user.type(box(), 'HEAP,')
  await user.click(box())
  await user.paste(' glibc , rop,Crypto 101')
  expect(chips()).toEqual(['heap', 'rop', 'glibc', 'Crypto 101'])
  expect(box().value).toBe('')
  expect(sent()).toEqual([])
})

it('the focus stays in the box after a button or Backspace removes a tag', async () => {
  await open(['heap', 'rop', 'glibc'])
  await user.click(screen.getByRole('button', { name: 'Remove the tag heap' }))
  expect(document.activeElement).toBe(box())
  await user.keyboard('{Backspace}')
  expect(chips()).toEqual(['rop'])
})

it('the box ignores an eleventh tag', async () => {
  await open(Array.from({ length: 9 }, (_, index) => `tag ${index}`))
  await user.click(box())
  await user.paste('one,two,three')
  expect(chips()).toHaveLength(10)
  expect(box().readOnly).toBe(true)
})

it('the user can set and clear the difficulty', async () => {
  await open()
  const difficulty = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Difficulty' })
  await user.selectOptions(difficulty, 'Insane')
  expect(difficulty.value).toBe('insane')
  await user.selectOptions(difficulty, 'Not set')
  expect(difficulty.value).toBe('')
})

it('the card suggests tags that only other challenges have, the most frequent tag first', () => {
  const challenge = (id: number, ...tags: string[]): LabeledChallenge => ({ id, tags, difficulty: null })
  expect(listTagSuggestions([challenge(1, 'rop', 'XSS'), challenge(2, 'xss'), challenge(3, 'heap')], ['Heap'])).toEqual([
    'XSS',
    'rop',
  ])
})
