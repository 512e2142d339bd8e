import { isProblemTextCode, Problem } from '@capstan/contract/problems'
import type { InstanceDeps } from '../deps.ts'
import { storeInstanceAddress } from './address.ts'
import { finishInstanceEndings } from './endings.ts'
import { waitForStartOutcome } from './outcome.ts'
import { doesInstanceRemainAfterFailure } from './policy.ts'
import { createInstanceRepository, type InstanceRow } from './repository.ts'
import type { InstanceFailure, InstanceSpec } from './runtime.ts'

type LaunchDeps = Pick<InstanceDeps, 'db' | 'runtime' | 'bus' | 'clock' | 'config' | 'platformLog'>

/** Failures that no runtime reports. For these, callers receive the usual title of `instance.failed`. */
const failures = {
  notCreated: { reason: 'NotCreated', message: 'The container could not be created' },
  endedEarly: { reason: 'EndedEarly', message: 'The container ended while it started' },
  stoppedEarly: { reason: 'StoppedEarly', message: 'The container was stopped while it started' },
} as const satisfies Record<string, InstanceFailure>

/** Returns the problem of a failed start. Its title is in the language of the caller if the catalog contains the reason. */
function startFailure({ reason, message }: InstanceFailure): Problem {
  const code = `instance.${reason}`
  const isFromRuntime = !Object.values(failures).some((failure) => failure.reason === reason)
  return new Problem('instance.failed', {
    ...(isProblemTextCode(code) ? { text: { code } } : isFromRuntime && { title: message }),
    detail: reason,
  })
}

/** Returns the problem of a start whose instance has ended since. */
export function failureOfEndedInstance(row: Pick<InstanceRow, 'reason' | 'reasonCode'> | undefined): Problem {
  return startFailure(storedFailureOf(row) ?? failures.endedEarly)
}

function storedFailureOf(row: Pick<InstanceRow, 'reason' | 'reasonCode'> | undefined): InstanceFailure | undefined {
  return row?.reason ? { reason: row.reasonCode ?? 'Unknown', message: row.reason } : undefined
}

/** Marks an instance as ended because its start failed. @throws Problem `instance.failed` with the reason */
async function abandon(deps: LaunchDeps, row: InstanceRow, failure: InstanceFailure): Promise<never> {
  await createInstanceRepository(deps.db).end(row.id, deps.clock.now(), failure)
  await finishInstanceEndings(deps, [row.id])
  throw startFailure(failure)
}

async function create({ runtime }: Pick<LaunchDeps, 'runtime'>, spec: InstanceSpec): Promise<void> {
  try {
    await runtime.create(spec)
  } catch (cause) {
    throw new Problem('instance.failed', { detail: cause instanceof Problem ? cause.code : 'create' })
  }
}

async function createAgain(deps: LaunchDeps, row: InstanceRow, spec: InstanceSpec): Promise<void> {
  if (deps.runtime.find(row.id)) return
  await create(deps, spec)
  const now = await createInstanceRepository(deps.db).find(row.id)
  if (now?.endedAt !== null) await abandon(deps, row, storedFailureOf(now) ?? failures.endedEarly)
}

/**
 * Creates the object of a committed row, and waits until the instance is ready.
 * @param options.isJoined true if another call or a crashed process has already begun to start the instance
 * @returns the row. Its status is Running if the instance became ready in time, and Pending otherwise.
 * @throws Problem `instance.failed` with the reason of the runtime. The row is then closed and the object is deleted. Both remain
 * if the runtime reports that a test instance failed
 */
export async function launchInstance(
  deps: LaunchDeps,
  row: InstanceRow,
  spec: InstanceSpec,
  { isJoined = false } = {},
): Promise<InstanceRow> {
  const { db, runtime, clock, config } = deps
  if (isJoined) await createAgain(deps, row, spec)
  else {
    await create(deps, spec).catch(async (refusal: unknown) => {
      await createInstanceRepository(db).end(row.id, clock.now(), failures.notCreated)
      await finishInstanceEndings(deps, [row.id])
      throw refusal
    })
  }
  const outcome = await waitForStartOutcome(runtime, row.id, config.instances.readyTimeoutMs)
  switch (outcome.kind) {
    case 'pending':
      return row
    case 'failed':
      if (doesInstanceRemainAfterFailure(row)) throw startFailure(outcome)
      return abandon(deps, row, outcome)
    case 'ready': {
      const ready =
        (await storeInstanceAddress(deps, row.id, { state: outcome })) ?? (await createInstanceRepository(db).find(row.id))
      return ready?.endedAt === null ? ready : abandon(deps, row, failures.stoppedEarly)
    }
    case 'removed': {
      const ended = await createInstanceRepository(db).find(row.id)
      return abandon(deps, row, storedFailureOf(ended) ?? failures.endedEarly)
    }
  }
}
