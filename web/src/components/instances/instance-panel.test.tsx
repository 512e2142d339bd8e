import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../lib/http.ts'
import { renderInApp } from '../../testing/render.tsx'
import { InstancePanel, type InstancePanelProps } from './instance-panel.tsx'
import { findLastFailure, instanceStateOf, lifetimeOf } from './instance-state.ts'

const user = userEvent.setup()
const now = Date.parse('2026-01-01T12:00:00Z')
const minute = 60_000
const minutes = { defaultLifetime: 120, extensionDuration: 120, renewalWindow: 10 }

async function showPanel(props: Partial<InstancePanelProps>) {
  const actions: string[] = []
  await renderInApp(
    <InstancePanel
      state={{ kind: 'none' }}
      now={now}
      minutes={minutes}
      connection={<p>reach it here</p>}
      onStart={() => actions.push('start')}
      onStop={() => actions.push('stop')}
      onExtend={() => actions.push('extend')}
      {...props}
    />,
    { areas: ['instances'] },
  )
  return actions
}
function failedStart(detail: string) {
  const error = new ApiError({ title: 'What happened', code: 'instance.failed', detail, status: 400, httpStatus: 400 })
  return { action: 'start', error } as const
}
function ready(leftMinutes: number) {
  return { kind: 'ready', entry: '10.0.0.1:80', closesAt: now + leftMinutes * minute, busy: undefined } as const
}
function button(name: string) {
  return screen.queryByRole<HTMLButtonElement>('button', { name })
}
function heading() {
  return screen.getByRole('heading').textContent
}

describe('the instance panel', () => {
  it('the panel offers to start an instance if there is none', async () => {
    const actions = await showPanel({})
    expect(heading()).toBe('No instance running')
    await user.click(screen.getByRole('button', { name: 'Start' }))
    expect(actions).toEqual(['start'])
  })

  it('the panel shows the elapsed time and the current step while an instance starts', async () => {
    await showPanel({ state: { kind: 'creating', since: now - 14_000, isLate: false } })
    expect(heading()).toBe('Starting')
    expect(screen.getByRole('status').textContent).toMatch(/download the image/)
    expect(screen.getByRole('timer').textContent).toBe('14 s')
    expect(button('Start')).toBeNull()
  })

  it('the panel shows that an instance is still starting after the server has reported a delay', async () => {
    await showPanel({ state: { kind: 'creating', since: now - 31_000, isLate: true } })
    expect(screen.getByRole('status').textContent).toMatch(/but still starting/)
  })

  it('the panel shows the connection and the remaining time, but offers no extension before the extension window', async () => {
    await showPanel({ state: ready(60) })
    expect(heading()).toBe('Running')
    expect(screen.getByText('reach it here')).toBeTruthy()
    expect(screen.getByRole('timer').textContent).toBe('01:00:00 left')
    expect(screen.getByRole('progressbar', { name: 'Time left' }).getAttribute('aria-valuenow')).toBe('50')
    expect(screen.getByText('Can be extended during its last 10 minutes')).toBeTruthy()
    expect(button('Extend')).toBeNull()
  })

  it('the panel offers an extension within the extension window', async () => {
    const actions = await showPanel({ state: ready(10) })
    await user.click(screen.getByRole('button', { name: 'Extend' }))
    expect(actions).toEqual(['extend'])
  })

  it('the panel destroys the instance only after confirmation', async () => {
    const actions = await showPanel({ state: ready(60) })
    await user.click(screen.getByRole('button', { name: 'Destroy' }))
    expect(actions).toEqual([])
    await user.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Destroy' }))
    await user.click(screen.getByRole('button', { name: 'Destroy' }))
    await user.click(screen.getByRole('button', { name: 'Destroy instance' }))
    expect(actions).toEqual(['stop'])
  })

  it('the panel shows the error of a failed start, and advice', async () => {
    await showPanel({ failure: failedStart('Crashed'), askLink: <a href="/ask">Ask</a> })
    expect(heading()).toBe('Could not start')
    expect(screen.getByRole('alert').textContent).toBe('What happened')
    expect(screen.getByText(/tell an organizer/)).toBeTruthy()
    expect(screen.getByRole('link', { name: 'Ask' })).toBeTruthy()
    expect(button('Start again')?.disabled).toBe(false)
  })

  it('the panel adds no advice to a message that already says what to do', async () => {
    await showPanel({ failure: failedStart('ImagePullFailed'), askLink: <a href="/ask">Ask</a> })
    expect(screen.getByRole('alert').textContent).toBe('What happened')
    expect(screen.queryByText(/tell an organizer/)).toBeNull()
    expect(screen.getByRole('link', { name: 'Ask' })).toBeTruthy()
  })

  it('the panel does not offer to ask the organizers if the team has reached its limit of instances', async () => {
    const error = new ApiError({ title: 'Destroy one first', code: 'instance.limit', status: 400, httpStatus: 400 })
    await showPanel({ failure: { action: 'start', error }, askLink: <a href="/ask">Ask</a> })
    expect(screen.queryByText(/tell an organizer/)).toBeNull()
    expect(screen.queryByRole('link')).toBeNull()
  })

  it('the panel counts down the time until the server permits the next action', async () => {
    const error = new ApiError({ title: 'Please wait a moment', status: 429, httpStatus: 429, retryAfterSeconds: 7 })
    await showPanel({ failure: { action: 'start', error }, coolDownSeconds: 7 })
    expect(button('Start in 7 s')?.disabled).toBe(true)
    expect(screen.getByText('Please wait a moment.')).toBeTruthy()
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('the panel shows that an instance expired, and offers a new start', async () => {
    await showPanel({ state: { kind: 'expired' } })
    expect(heading()).toBe('Expired')
    expect(button('Start again')).toBeTruthy()
  })
})

describe('the state of an instance', () => {
  const running = { instanceEntry: '10.0.0.1:80', closeTime: '2026-01-01T13:00:00Z' }

  it.each([
    ['none', { instanceEntry: null, closeTime: null }, undefined],
    ['ready', running, undefined],
    ['expired', { ...running, closeTime: '2026-01-01T12:00:00Z' }, undefined],
    ['creating', { instanceEntry: null, closeTime: null }, { kind: 'starting', since: now }],
    ['creating', running, { kind: 'pending', since: now }],
    ['none', { instanceEntry: null, closeTime: null }, { kind: 'pending', since: now }],
    ['lost', { instanceEntry: null, closeTime: null }, { kind: 'lost' }],
    ['ready', running, { kind: 'failed', action: 'extend', error: undefined }],
  ] as const)('the state of an instance is %s', (kind, access, job) => {
    expect(instanceStateOf(access, job, now).kind).toBe(kind)
  })

  it('the state is "creating" if a teammate started the instance, or if the response to the start was lost', () => {
    const listed = { state: 'Starting', startedAt: '2026-01-01T12:00:00Z' } as const
    const lost = { kind: 'failed', action: 'start', error: undefined } as const
    for (const job of [lost, undefined]) expect(instanceStateOf(running, job, now, listed).kind).toBe('creating')
    expect(findLastFailure(lost, instanceStateOf(running, lost, now, listed))).toBeUndefined()
  })

  it('an instance can be extended once the extension window begins', () => {
    expect(lifetimeOf(now + 10 * minute, minutes, now).canExtend).toBe(true)
    expect(lifetimeOf(now + 10 * minute + 1, minutes, now).canExtend).toBe(false)
  })

  it('the remaining share of the lifetime is at least 0 and at most 1', () => {
    expect(lifetimeOf(now + 130 * minute, minutes, now).share).toBe(1)
    expect(lifetimeOf(now - 1, minutes, now)).toEqual({ leftMs: 0, share: 0, canExtend: true })
  })

  it('the panel hides a failed start or stop after a teammate succeeded with the same action', () => {
    const failed = (action: 'start' | 'stop') => ({ kind: 'failed', action, error: undefined }) as const
    const none = { kind: 'none' } as const
    expect(findLastFailure(failed('start'), none)).toBeDefined()
    expect(findLastFailure(failed('start'), ready(60))).toBeUndefined()
    expect(findLastFailure(failed('stop'), ready(60))).toBeDefined()
    expect(findLastFailure(failed('stop'), none)).toBeUndefined()
  })
})
