import { expect, test } from 'vitest'
import type { ObservedCapture } from '../lifecycle/runtime.ts'
import { captureStatusOf } from './health.ts'

const endedAt = new Date('2030-01-01T00:00:00Z')
const running = { endedAt: null, failingSince: null, gaps: 0 }
const ended = { ...running, endedAt }
function seen(values: Partial<ObservedCapture> = {}): ObservedCapture {
  return {
    id: '0a1b2c3d-0000-4000-8000-000000000001',
    recorders: [{ host: '10.0.0.1', port: 19100 }],
    health: { isRecording: true, reason: 'Capturing', message: 'Traffic is being recorded.' },
    isEnding: false,
    isReleased: false,
    ...values,
  }
}
function unhealthy(reason: string) {
  return seen({ health: { isRecording: false, reason, message: 'A sentence.' } })
}

test.each([
  ['was not observed yet', running, undefined, 'Starting'],
  ['has no recorder yet', running, unhealthy('CaptureStarting'), 'Starting'],
  ['records', running, seen(), 'Recording'],
  ['has a recorder that is not running', running, unhealthy('CaptureFailed'), 'Failing'],
  ['cannot be reached', { ...running, failingSince: endedAt }, seen(), 'Failing'],
  ['has ended and is being fetched', ended, seen({ isEnding: true }), 'Draining'],
  ['has ended and was released', ended, seen({ isEnding: true, isReleased: true }), 'Complete'],
  ['has ended', ended, undefined, 'Complete'],
  ['has ended with a gap', { ...ended, gaps: 1 }, undefined, 'Incomplete'],
])('an instance that %s has the state %s', (_what, row, observed, state) => {
  expect(captureStatusOf(row, observed).state).toBe(state)
})

test('a failing recording reports the message of the cluster or of the collector', () => {
  expect(captureStatusOf(running, unhealthy('CaptureNotConfigured'))).toEqual({
    state: 'Failing',
    reason: 'CaptureNotConfigured',
    message: 'A sentence.',
  })
  expect(captureStatusOf({ ...running, failingSince: endedAt }, seen())).toMatchObject({
    reason: 'NotFetched',
    message: 'Traffic is recorded, but the recordings cannot be fetched at the moment.',
  })
})
