import type { Challenge, FullChallenge } from '@capstan/contract/challenge'
import { replaceFlags } from '@capstan/contract/challenge-parts'
import { type Action, useAction } from '../../components/ui/form.ts'
import { saveChallenge } from './save-challenge.ts'

/** Returns an action that adds flags in one call and then shows them. */
export function useAddFlags(gameId: number, whole: FullChallenge): Action<[Challenge['flags']]> {
  return useAction(async (flags: Challenge['flags']) => {
    await saveChallenge(gameId, whole, { change: (stored) => replaceFlags(stored, [...stored.flags, ...flags]) })
  })
}
