import { fireEvent, screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { expect, it } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { simulateUploads } from '../../testing/server.ts'
import { useToasts } from '../ui/toast.ts'
import { MarkdownArea } from './markdown-area.tsx'

const chart = new File(['…'], 'chart (1).png', { type: 'image/png' })
const log = new File(['…'], 'log[2].txt', { type: 'text/plain' })

function Page() {
  const [value, setValue] = useState('before after')
  return <MarkdownArea aria-label="Text" value={value} onValueChange={setValue} />
}

async function open() {
  await renderInApp(<Page />, { areas: ['editing'] })
  const area = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Text' })
  area.setSelectionRange(7, 7)
  return area
}

it('the text area uploads dropped files, and inserts an image or a link for each file at the cursor', async () => {
  const stored = [
    { hash: 'aa', name: chart.name },
    { hash: 'bb', name: log.name },
  ]
  const uploads = simulateUploads({ body: stored })
  const area = await open()
  fireEvent.drop(area, { dataTransfer: { types: ['Files'], files: [chart, log] } })
  await waitFor(() =>
    expect(area.value).toBe(
      'before ![chart (1).png](/assets/aa/chart%20%281%29.png)\n[log\\[2\\].txt](/assets/bb/log%5B2%5D.txt)after',
    ),
  )
  expect(uploads).toEqual([[chart.name, log.name]])
  expect(screen.queryByRole('status')).toBeNull()
})

it('the text area pastes only the text if the clipboard contains both text and an image', async () => {
  const uploads = simulateUploads({ body: [] })
  const area = await open()
  const isNative = fireEvent.paste(area, { clipboardData: { types: ['text/plain', 'Files'], files: [chart] } })
  expect(isNative).toBe(true)
  expect(uploads).toEqual([])
})

it('the text area shows why an upload failed and retains the text', async () => {
  simulateUploads({ status: 413, body: { title: 'Too large', status: 413, code: 'request.too-large' } })
  const area = await open()
  fireEvent.paste(area, { clipboardData: { types: ['Files'], files: [chart] } })
  await waitFor(() => expect(useToasts.getState().toasts.map(({ title }) => title)).toEqual(['Could not upload the file']))
  expect(area.value).toBe('before after')
})
