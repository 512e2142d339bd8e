import { fireEvent, screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { expect, it, vi } from 'vitest'
import { show } from '../../testing/render.tsx'
import { useToasts } from '../ui/toast.ts'
import { MarkdownArea } from './markdown-area.tsx'

const { upload } = vi.hoisted(() => ({ upload: vi.fn() }))
vi.mock('../../lib/http.ts', async (original) => ({ ...(await original<object>()), upload }))

const chart = new File(['…'], 'chart (1).png', { type: 'image/png' })
const log = new File(['…'], 'log[2].txt', { type: 'text/plain' })

function Page() {
  const [value, setValue] = useState('before after')
  return <MarkdownArea aria-label="Text" value={value} onValueChange={setValue} />
}

async function open() {
  await show(<Page />, { areas: ['editing'] })
  const area = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Text' })
  area.setSelectionRange(7, 7)
  return area
}

it('stores what is dropped, and puts images and links where the caret is', async () => {
  upload.mockResolvedValueOnce([
    { hash: 'aa', name: chart.name },
    { hash: 'bb', name: log.name },
  ])
  const area = await open()
  fireEvent.drop(area, { dataTransfer: { types: ['Files'], files: [chart, log] } })
  await waitFor(() =>
    expect(area.value).toBe(
      'before ![chart (1).png](/assets/aa/chart%20%281%29.png)\n[log\\[2\\].txt](/assets/bb/log%5B2%5D.txt)after',
    ),
  )
  expect(screen.queryByRole('status')).toBeNull()
})

it('leaves a paste alone that has text, whatever picture of it comes along', async () => {
  const area = await open()
  const isNative = fireEvent.paste(area, { clipboardData: { types: ['text/plain', 'Files'], files: [chart] } })
  expect(isNative).toBe(true)
  expect(upload).not.toHaveBeenCalled()
})

it('says why a file was not stored, and keeps the text', async () => {
  upload.mockRejectedValueOnce(new Error('Too large'))
  const area = await open()
  fireEvent.paste(area, { clipboardData: { types: ['Files'], files: [chart] } })
  await waitFor(() => expect(useToasts.getState().toasts.map(({ title }) => title)).toEqual(['Could not upload the file']))
  expect(area.value).toBe('before after')
})
