import type { ChallengeBrief, ChallengeEdit } from '@capstan/contract/challenges'
import { operations, ownOperations } from '@capstan/contract/operations'
import { type Action, useAction } from '../../components/ui/form.ts'
import { call } from '../../lib/http.ts'
import { refresh, setCallData } from '../../lib/server-state.ts'

/** Shows a stored challenge in its editor and in the list. */
export async function showStored(gameId: number, stored: ChallengeEdit): Promise<void> {
  const { id, title, category, isEnabled, originalScore } = stored
  await setCallData([operations.adminGetChallenge, { params: { id: gameId, cid: id } }], stored)
  await setCallData([operations.adminListChallenges, { params: { id: gameId } }], (known) =>
    known?.map((brief) => (brief.id === id ? { ...brief, title, category, isEnabled, originalScore } : brief)),
  )
  void refresh(ownOperations.getWholeChallenge, { params: { id: gameId, cid: id } })
  void refresh(ownOperations.listChallengeReadiness, { params: { id: gameId } })
}

/** Returns an action that enables or disables a challenge immediately. */
export function useEnabled(gameId: number, challenge: Pick<ChallengeBrief, 'id'>): Action<[boolean]> {
  return useAction(async (isEnabled: boolean) => {
    const params = { id: gameId, cid: challenge.id }
    await showStored(gameId, await call(operations.updateChallenge, { params, body: { isEnabled } }))
  })
}
