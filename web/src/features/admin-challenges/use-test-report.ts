import type { TestReport } from '@capstan/contract/challenges'
import { ownOperations } from '@capstan/contract/operations'
import { useCall } from '../../lib/server-state.ts'

/** True if the newest test container could not start. Its state and output stay readable until it is stopped. */
export function hasTestFailedToStart({ steps }: TestReport): boolean {
  return steps.at(-1)?.state === 'Failed'
}

/**
 * @param gameId undefined if the challenge has no container
 * @param options.isPending true if the test container is not ready yet, or failed to start
 */
export function useTestReport(
  gameId: number | undefined,
  challengeId: number,
  { isStarting, isPending = false }: Readonly<{ isStarting: boolean; isPending?: boolean }>,
): TestReport | undefined {
  return useCall(ownOperations.getTestReport, gameId === undefined ? null : { params: { id: gameId, cid: challengeId } }, {
    refreshInterval: (report) => (isStarting || (isPending && !(report && hasTestFailedToStart(report))) ? 1_000 : 10_000),
    dedupingInterval: 500,
  }).data
}
