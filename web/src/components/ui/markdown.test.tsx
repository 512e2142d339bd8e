import { render, waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { Markdown } from './markdown.tsx'

it('a text is complete in its first frame after the parser has loaded', async () => {
  const first = render(<Markdown source="**Fog**" />)
  await waitFor(() => expect(first.container.querySelector('strong')?.textContent).toBe('Fog'))
  const second = render(<Markdown source="*Rain* and **wind**" />)
  expect(second.container.textContent).toBe('Rain and wind\n')
})
