import type { LabeledChallenge } from '@capstan/contract/challenge-labels'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { show } from '../../testing/render.tsx'
import { answering } from '../../testing/server.ts'
import { LabelsCard, suggestionsFor } from './labels-card.tsx'

const user = userEvent.setup()
const list = 'GET /api/edit/games/3/challenges/labels'
const put = 'PUT /api/edit/games/3/challenges/7/labels'

async function open(own: Partial<LabeledChallenge> = {}, answers = {}) {
  const asked = answering({
    [list]: {
      body: [
        { id: 7, tags: ['heap'], difficulty: null, ...own },
        { id: 8, tags: ['rop', 'Heap'], difficulty: 'easy' },
      ],
    },
    [put]: ({ body }: { body: unknown }) => ({ body }),
    ...answers,
  })
  await show(<LabelsCard gameId={3} challengeId={7} />, { areas: ['admin-challenges', 'challenges', 'editing'] })
  await screen.findByRole('combobox', { name: 'Tags' })
  return () => asked.filter(({ method }) => method === 'PUT').map(({ body }) => body)
}

function box() {
  return screen.getByRole<HTMLInputElement>('combobox', { name: 'Tags' })
}
function chips() {
  return within(screen.getByRole('list', { name: 'Tags of this challenge' }))
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent)
}

it('adds tags by Enter, comma and pasted lists without duplicates, and stores each change', async () => {
  const stored = await open()
  await user.type(box(), 'rop{Enter}')
  await user.type(box(), 'HEAP,')
  await user.click(box())
  await user.paste(' glibc , rop,Crypto 101')
  expect(chips()).toEqual(['heap', 'rop', 'glibc', 'Crypto 101'])
  expect(box().value).toBe('')
  await waitFor(() => expect(stored().at(-1)).toEqual({ tags: ['heap', 'rop', 'glibc', 'Crypto 101'], difficulty: null }))
})

it('keeps the focus in the box after a tag is removed by button or Backspace', async () => {
  const stored = await open({ tags: ['heap', 'rop', 'glibc'] })
  await user.click(screen.getByRole('button', { name: 'Remove the tag heap' }))
  expect(document.activeElement).toBe(box())
  await user.keyboard('{Backspace}')
  expect(chips()).toEqual(['rop'])
  await waitFor(() => expect(stored().at(-1)).toEqual({ tags: ['rop'], difficulty: null }))
})

it('reads the labels again for a challenge that the cached list lacks', async () => {
  const lists = [[], [{ id: 7, tags: ['fresh'], difficulty: null }]]
  await open({}, { [list]: () => ({ body: lists.length > 1 ? lists.shift() : lists[0] }) })
  expect(chips()).toEqual(['fresh'])
})

it('ignores an eleventh tag', async () => {
  await open({ tags: Array.from({ length: 9 }, (_, index) => `tag ${index}`) })
  await user.click(box())
  await user.paste('one,two,three')
  expect(chips()).toHaveLength(10)
  expect(box().readOnly).toBe(true)
})

it('stores and clears a difficulty', async () => {
  const stored = await open()
  const difficulty = screen.getByRole('combobox', { name: 'Difficulty' })
  await user.selectOptions(difficulty, 'Insane')
  await waitFor(() => expect(stored()).toEqual([{ tags: ['heap'], difficulty: 'insane' }]))
  await user.selectOptions(difficulty, 'Not given')
  await waitFor(() => expect(stored().at(-1)).toEqual({ tags: ['heap'], difficulty: null }))
})

it('shows why a change was not stored, and restores the stored value', async () => {
  await open({}, { [put]: { status: 500, body: { title: 'The server failed', status: 500, code: 'server.unexpected' } } })
  await user.type(box(), 'rop{Enter}')
  expect(await screen.findByRole('alert')).toBeTruthy()
  await waitFor(() => expect(chips()).toEqual(['heap']))
})

it('suggests missing tags of other challenges, the most frequent first', () => {
  const challenge = (id: number, ...tags: string[]): LabeledChallenge => ({ id, tags, difficulty: null })
  expect(suggestionsFor([challenge(1, 'rop', 'XSS'), challenge(2, 'xss'), challenge(3, 'heap')], ['Heap'])).toEqual([
    'XSS',
    'rop',
  ])
})
