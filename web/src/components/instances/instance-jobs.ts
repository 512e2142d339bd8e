import { Limits } from '@capstan/contract/limits'
import { operations, ownOperations } from '@capstan/contract/operations'
import { create } from 'zustand'
import { serverNow } from '../../lib/clock.ts'
import { onLogOut } from '../../lib/forget.ts'
import { ApiError, call, isResponseLost } from '../../lib/http.ts'
import { refreshCall, setCallData } from '../../lib/server-state.ts'
import type { InstanceAction, InstanceJob } from './instance-state.ts'

export type Target = Readonly<{
  gameId: number
  challengeId: number
}>

type JobState = Readonly<{
  /**
   * Jobs by the key of their instance (`keyOfInstanceJob`). A job continues after its dialog closes, so the player can view
   * another page.
   */
  jobs: Readonly<Record<string, InstanceJob>>
  /** Earliest time at which the next start or stop is allowed, on the server clock, in ms. */
  freeAt: Readonly<Record<string, number>>
  put: (target: Target, job: InstanceJob | undefined) => void
  waitUntil: (target: Target, freeAt: number) => void
}>

export function keyOfInstanceJob({ gameId, challengeId }: Target): string {
  return `${gameId}/${challengeId}`
}

export const useInstanceJobs = create<JobState>()((set) => ({
  jobs: {},
  freeAt: {},
  put: (target, job) =>
    set(({ jobs }) => {
      const { [keyOfInstanceJob(target)]: _, ...others } = jobs
      return { jobs: job ? { ...others, [keyOfInstanceJob(target)]: job } : others }
    }),
  waitUntil: (target, freeAt) => set((known) => ({ freeAt: { ...known.freeAt, [keyOfInstanceJob(target)]: freeAt } })),
}))

onLogOut(() => useInstanceJobs.setState({ jobs: {}, freeAt: {} }))

function addressOfView({ gameId, challengeId }: Target) {
  return [operations.getChallenge, { params: { id: gameId, cid: challengeId } }] as const
}

function paramsOf({ gameId, challengeId }: Target) {
  return { params: { id: gameId, cid: challengeId } }
}

/** Shows the instance that the response contains, so that no further request is needed. */
function show(target: Target, instanceEntry: string | null, closeTime: string | null) {
  return setCallData(
    [...addressOfView(target)],
    (view) => view && { ...view, context: { ...view.context, instanceEntry, closeTime } },
  )
}

/**
 * Cooldown that the server enforces between starts and stops. The buttons are disabled during the cooldown, so that no call
 * fails. The page counts from the response, because the server counts from an earlier time, when it handled the request.
 */
const coolDownMs = Limits.instanceCooldownSeconds * 1000

/** Error codes that show that the local state is stale. After such an error, the page reads the state from the server. */
const outdated = new Set(['instance.running', 'instance.none', 'instance.not-extendable', 'instance.unknown'])

async function attempt(
  target: Target,
  action: InstanceAction,
  job: InstanceJob,
  perform: () => Promise<InstanceJob | undefined>,
) {
  const { put, waitUntil } = useInstanceJobs.getState()
  const current = useInstanceJobs.getState().jobs[keyOfInstanceJob(target)]
  if (current?.kind === 'starting' || current?.kind === 'stopping' || current?.kind === 'extending') return
  put(target, job)
  try {
    put(target, await perform())
  } catch (error) {
    // Read the state before the error is shown, because an attempt whose response was lost may have succeeded.
    const isOutdated = error instanceof ApiError && error.code !== undefined && outdated.has(error.code)
    if (isOutdated || isResponseLost(error)) await refreshCall(...addressOfView(target))
    put(target, { kind: 'failed', action, error })
    if (error instanceof ApiError && error.httpStatus === 429)
      waitUntil(target, serverNow() + (error.retryAfterSeconds ?? 0) * 1000)
  }
  void refreshCall(ownOperations.listTeamInstances, { params: { id: target.gameId } })
}

/** Starts the team's instance. Never throws, because it puts errors into the store. */
export function startInstance(target: Target): Promise<void> {
  const since = serverNow()
  return attempt(target, 'start', { kind: 'starting', since }, async () => {
    const { entry, expectStopAt, status } = await call(operations.startContainer, paramsOf(target))
    await show(target, entry, expectStopAt)
    useInstanceJobs.getState().waitUntil(target, serverNow() + coolDownMs)
    return status === 'Pending' ? { kind: 'pending', since } : undefined
  })
}

export function stopInstance(target: Target): Promise<void> {
  return attempt(target, 'stop', { kind: 'stopping' }, async () => {
    await call(operations.stopContainer, paramsOf(target))
    await show(target, null, null)
    useInstanceJobs.getState().waitUntil(target, serverNow() + coolDownMs)
    return undefined
  })
}

export function extendInstance(target: Target): Promise<void> {
  return attempt(target, 'extend', { kind: 'extending' }, async () => {
    const { entry, expectStopAt } = await call(operations.extendContainer, paramsOf(target))
    await show(target, entry, expectStopAt)
    return undefined
  })
}
