import { act, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { show } from '../testing/render.tsx'
import { counted, useQuiet } from './quiet.ts'

const Strip = () => <p>{useQuiet() ? 'asks' : 'waits'}</p>

const aCall = () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  void counted(promise)
  return { answer: () => act(async () => resolve()) }
}
const passes = (ms: number) => act(async () => void vi.advanceTimersByTime(ms))

beforeEach(async () => {
  await show(<p>texts are there</p>)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => vi.useRealTimers())

it('waits until every call has been answered, and asks from then on', async () => {
  const [first, second] = [aCall(), aCall()]
  await show(<Strip />)
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

it('does not wait for a call that is not answered in a while', async () => {
  const lost = aCall()
  await show(<Strip />)
  await passes(2_999)
  expect(screen.getByText('waits')).toBeTruthy()
  await passes(1)
  expect(screen.getByText('asks')).toBeTruthy()
  await lost.answer()
})

it('asks at once where nothing is being asked', async () => {
  await show(<Strip />)
  await passes(1)
  expect(screen.getByText('asks')).toBeTruthy()
})
