import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { TagsInput } from './tags-input.tsx'

it('the input removes an existing duplicate when the user adds another tag', async () => {
  const onTagsChange = vi.fn()
  await renderInApp(
    <TagsInput
      control={{ id: 'tags' }}
      label="Tags"
      tags={['Game', 'game']}
      limits={{ most: 8, longest: 20 }}
      suggestions={[]}
      onTagsChange={onTagsChange}
    />,
    { areas: ['editing'] },
  )
  await userEvent.type(screen.getByRole('combobox'), 'rules{Enter}')
  expect(onTagsChange).toHaveBeenLastCalledWith(['Game', 'rules'])
})
