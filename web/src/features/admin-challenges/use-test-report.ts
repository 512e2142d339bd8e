import type { TestReport } from '@capstan/contract/challenges'
import { ownOperations } from '@capstan/contract/operations'
import { useCall } from '../../lib/server-state.ts'

/** @param gameId undefined if the challenge has no container */
export function useTestReport(
  gameId: number | undefined,
  challengeId: number,
  { isStarting }: { readonly isStarting: boolean },
): TestReport | undefined {
  return useCall(ownOperations.getTestReport, gameId === undefined ? null : { params: { id: gameId, cid: challengeId } }, {
    refreshInterval: isStarting ? 1_000 : 10_000,
    dedupingInterval: 500,
  }).data
}
