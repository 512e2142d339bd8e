import { render } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { useFullScreen } from './use-full-screen.ts'

function Projector() {
  return <div ref={useFullScreen(() => undefined)} />
}

afterEach(() => vi.unstubAllGlobals())

it('the page requests the wake lock again after it was hidden, until full screen ends', () => {
  const request = vi.fn(async () => ({ release: async () => undefined }))
  vi.stubGlobal('navigator', { wakeLock: { request } })
  const { unmount } = render(<Projector />)
  expect(request).toHaveBeenCalledTimes(1)
  document.dispatchEvent(new Event('visibilitychange'))
  expect(request).toHaveBeenCalledTimes(2)
  unmount()
  document.dispatchEvent(new Event('visibilitychange'))
  expect(request).toHaveBeenCalledTimes(2)
})
