import { act, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderInApp } from '../testing/render.tsx'
import { useQueryState } from './query-state.ts'

function Choices() {
  const tag = useQueryState()
  const level = useQueryState()
  return (
    <button
      type="button"
      onClick={() => {
        tag.set({ tag: undefined })
        level.set({ level: 'hard' })
      }}
    >
      {tag.get('tag')} {level.get('level')}
    </button>
  )
}

it('the address contains both changes if it changes twice between two renders', async () => {
  const { address } = await renderInApp(<Choices />, { at: '/?tag=web&page=2' })
  act(() => screen.getByRole('button').click())
  await screen.findByRole('button', { name: 'hard' })
  expect(address()).toBe('/?page=2&level=hard')
})
