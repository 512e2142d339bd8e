import { fireEvent, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { CopyButton } from './copy-button.tsx'
import { showToast } from './toast.ts'
import { ToastRegion } from './toast-region.tsx'

afterEach(() => vi.unstubAllGlobals())

/**
 * Simulates a page over plain HTTP, which has no clipboard and no crypto.randomUUID. `copied` lists the texts passed to `copy`.
 */
function insecurePage(isAllowed: boolean) {
  const copied: string[] = []
  vi.stubGlobal('navigator', { ...navigator, clipboard: undefined })
  vi.stubGlobal('crypto', {})
  document.execCommand = () => {
    copied.push((document.activeElement as HTMLTextAreaElement).value)
    return isAllowed
  }
  return copied
}

it('the button copies on a page over plain HTTP, and the focus returns to the button', async () => {
  const copied = insecurePage(true)
  await renderInApp(<CopyButton text="nc 10.0.0.5 31337" withText />)
  fireEvent.click(screen.getByRole('button', { name: 'Copy' }))
  expect(await screen.findByRole('button', { name: 'Copied' })).toBe(document.activeElement)
  expect(copied).toEqual(['nc 10.0.0.5 31337'])
  expect(document.querySelector('textarea')).toBeNull()
})

it('the button shows the text if the browser refuses to copy', async () => {
  insecurePage(false)
  await renderInApp(
    <>
      <CopyButton text="nc 10.0.0.5 31337" withText />
      <ToastRegion />
    </>,
  )
  fireEvent.click(screen.getByRole('button', { name: 'Copy' }))
  await screen.findByText('nc 10.0.0.5 31337')
})

it('toasts also appear on a page over plain HTTP', async () => {
  insecurePage(true)
  await renderInApp(<ToastRegion />)
  showToast({ title: 'Saved' })
  await screen.findByText('Saved')
})
