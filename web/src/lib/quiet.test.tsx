import { act, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { renderInApp } from '../testing/render.tsx'
import { trackPendingCall, useHaveAllReadsEnded } from './quiet.ts'

function Strip() {
  return <p>{useHaveAllReadsEnded() ? 'asks' : 'waits'}</p>
}

function aCall() {
  const { promise, resolve } = Promise.withResolvers<void>()
  void trackPendingCall(promise)
  return { answer: () => act(async () => resolve()) }
}
function passes(ms: number) {
  return act(async () => void vi.advanceTimersByTime(ms))
}

beforeEach(async () => {
  await renderInApp(<p>texts are there</p>)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => vi.useRealTimers())

it('the hook returns false until all calls have ended, and then true', async () => {
  const [first, second] = [aCall(), aCall()]
  await renderInApp(<Strip />)
  await first.answer()
  await passes(1)
  expect(screen.getByText('waits')).toBeTruthy()
  await second.answer()
  await passes(1)
  expect(screen.getByText('asks')).toBeTruthy()
  const later = aCall()
  await passes(1)
  expect(screen.getByText('asks')).toBeTruthy()
  await later.answer()
})

it('the hook returns true after a limited wait if a call gets no response', async () => {
  const lost = aCall()
  await renderInApp(<Strip />)
  await passes(2_999)
  expect(screen.getByText('waits')).toBeTruthy()
  await passes(1)
  expect(screen.getByText('asks')).toBeTruthy()
  await lost.answer()
})

it('the hook returns true immediately if no call is pending', async () => {
  await renderInApp(<Strip />)
  await passes(1)
  expect(screen.getByText('asks')).toBeTruthy()
})
