import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, it } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import type { TypedHint } from './challenge-form.ts'
import { HintsEditor } from './hints-editor.tsx'

function Editor() {
  const [hints, setHints] = useState<readonly TypedHint[]>([])
  return <HintsEditor hints={hints} onChange={setHints} />
}

it('a new hint gets the focus, and the focus stays in the list after a hint is removed', async () => {
  const user = userEvent.setup()
  await renderInApp(<Editor />, { areas: ['admin-challenges'] })
  const add = screen.getByRole('button', { name: 'Add a hint' })
  await user.click(add)
  await user.keyboard('Look up.')
  await user.click(add)
  await user.keyboard('Look down.')
  expect(screen.getAllByRole('textbox', { name: /^Hint/ }).map((hint) => (hint as HTMLTextAreaElement).value)).toEqual([
    'Look up.',
    'Look down.',
  ])
  await user.click(screen.getByRole('button', { name: 'Remove hint 2' }))
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Remove hint 1' }))
  await user.click(screen.getByRole('button', { name: 'Remove hint 1' }))
  expect(document.activeElement).toBe(add)
})

it('the editor reports that the price of a hint must be a whole number', async () => {
  const user = userEvent.setup()
  await renderInApp(<Editor />, { areas: ['admin-challenges'] })
  await user.click(screen.getByRole('button', { name: 'Add a hint' }))
  const price = screen.getByRole('spinbutton', { name: 'Price of hint 1' })
  expect((price as HTMLInputElement).value).toBe('0')
  await user.clear(price)
  expect((await screen.findByRole('alert')).textContent).toBe('A whole number from 0 to 1,000,000')
  await user.type(price, '50')
  expect(screen.queryByRole('alert')).toBeNull()
})
