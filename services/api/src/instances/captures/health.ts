// Reports to monitors whether the traffic of instances is recorded, and how much of the traffic is missing.
import type { CaptureHealth, CaptureRecorder, CaptureState } from '@capstan/contract/captures'
import type { InstanceDeps } from '../deps.ts'
import type { ObservedCapture } from '../lifecycle/runtime.ts'
import { type CaptureHealthRow, createCaptureHealthRepository } from './health-repository.ts'

const listedInstances = 200

const recorderMessages: Record<CaptureRecorder, string | null> = {
  Available: null,
  SwitchedOff: 'Traffic is not recorded, because captures are off on this platform.',
  Unsupported: 'Traffic is not recorded, because this platform runs containers on a single machine without a cluster.',
}

/** State of a recording, with reason and message if the recording fails. */
export type CaptureStatus = Readonly<{
  state: CaptureState
  /** Reason of the failure in one PascalCase word. Null if the recording does not fail. */
  reason: string | null
  message: string | null
}>

function well(state: CaptureState): CaptureStatus {
  return { state, reason: null, message: null }
}

/** @param observed undefined if the runtime does not list the instance */
export function captureStatusOf(
  row: Pick<CaptureHealthRow, 'endedAt' | 'failingSince' | 'gaps'>,
  observed: ObservedCapture | undefined,
): CaptureStatus {
  if (row.endedAt !== null) return well(observed && !observed.isReleased ? 'Draining' : row.gaps > 0 ? 'Incomplete' : 'Complete')
  const { health } = observed ?? {}
  if (!health || health.reason === 'CaptureStarting') return well('Starting')
  if (!health.isRecording) return { state: 'Failing', reason: health.reason, message: health.message }
  if (row.failingSince === null) return well('Recording')
  return {
    state: 'Failing',
    reason: 'NotFetched',
    message: 'Traffic is recorded, but the recordings cannot be fetched at the moment.',
  }
}

function present(
  { runtime }: Pick<InstanceDeps, 'runtime'>,
  { failingSince, ...row }: CaptureHealthRow,
): CaptureHealth['instances'][number] {
  return {
    ...row,
    ...captureStatusOf({ ...row, failingSince }, runtime.captures?.find(row.instanceId)),
    startedAt: row.startedAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
    collectedAt: row.collectedAt?.toISOString() ?? null,
  }
}

export async function getCaptureHealth(
  deps: Pick<InstanceDeps, 'db' | 'runtime' | 'config'>,
  gameId: number,
): Promise<CaptureHealth> {
  const { db, config, runtime } = deps
  const repository = createCaptureHealthRepository(db)
  const recorder: CaptureRecorder = !config.instances.capture ? 'SwitchedOff' : runtime.captures ? 'Available' : 'Unsupported'
  const [totals, rows] = await Promise.all([
    repository.sumFigures(gameId),
    // If this runtime cannot record, list no instances. Otherwise, an instance with enabled recording would be shown as starting.
    recorder === 'Unsupported' ? [] : repository.listInstances(gameId, listedInstances),
  ])
  return {
    recorder,
    message: recorderMessages[recorder],
    totals,
    instances: rows.map((row) => present(deps, row)),
  }
}
