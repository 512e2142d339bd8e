import type { FlagInput } from '@capstan/contract/challenges'
import { operations } from '@capstan/contract/operations'
import { type Action, useAction } from '../../components/ui/form.ts'
import { call } from '../../lib/http.ts'
import { refresh } from '../../lib/server-state.ts'

/** Returns an action that adds flags in one call and shows them. */
export function useAddFlags(gameId: number, challengeId: number): Action<[readonly FlagInput[]]> {
  const params = { id: gameId, cid: challengeId }
  return useAction(async (flags: readonly FlagInput[]) => {
    await call(operations.addFlags, { params, body: [...flags], timeoutMs: 120_000 })
    await refresh(operations.adminGetChallenge, { params })
  })
}
