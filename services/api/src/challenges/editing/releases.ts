import { Problem } from '@capstan/contract/problems'
import type { InstanceDeps } from '../../instances/deps.ts'
import { createChallengeRepository } from './repository.ts'
import { editChallenges } from './store.ts'

/** Maximum number of unreleased challenges that one run reads. */
const maxBatch = 500
/** Maximum pause between two reads of the planned releases, in ms. Another process may plan an earlier release at any time. */
const maxPauseMs = 1_000

/**
 * Releases every challenge whose release is due. Each row is read again after it is locked, so concurrent
 * processes release a challenge only once.
 * @returns the milliseconds until the next planned release, or undefined if no release is planned
 */
export async function releaseDueChallenges(deps: InstanceDeps): Promise<number | undefined> {
  const planned = await createChallengeRepository(deps.db).listUnreleased(maxBatch)
  const now = deps.clock.now()
  const isDue = ({ releaseAt }: (typeof planned)[number]) => releaseAt !== null && releaseAt <= now
  for (const [gameId, due] of Map.groupBy(planned.filter(isDue), (row) => row.gameId)) {
    const changes = due.map(({ id }) => ({ id, change: <Stored>(stored: Stored) => stored }))
    try {
      await editChallenges(deps, gameId, changes)
    } catch (error) {
      // A deleted challenge causes a `Problem`. The next run releases the remaining challenges.
      if (!(error instanceof Problem)) throw error
    }
  }
  const next = planned.find((row) => !isDue(row))?.releaseAt
  return next ? next.getTime() - now.getTime() : undefined
}

type ReleaseDeps = InstanceDeps & Readonly<{ log: { warn(fields: object, text: string): void } }>

/**
 * Releases each challenge at its planned time. After a restart, releases the challenges whose time has passed.
 * @returns a function that stops the releases
 */
export function startChallengeReleases(deps: ReleaseDeps): () => void {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  const run = async (): Promise<void> => {
    let pauseMs = maxPauseMs
    try {
      pauseMs = Math.min(maxPauseMs, (await releaseDueChallenges(deps)) ?? maxPauseMs)
    } catch (error) {
      deps.log.warn({ err: error }, 'Could not release challenges')
    }
    if (!isStopped) timer = setTimeout(() => void run(), pauseMs)
  }
  void run()
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}
