import { flagDraftKey, typeAhead } from '../../lib/type-ahead.ts'
import { useFlagDrafts } from '../../stores/flag-drafts.ts'

/** Saves text that the user typed for a challenge's flag field before the field existed. */
export function saveTypedFlag(challengeId: number): void {
  const typed = typeAhead.typedFor(flagDraftKey(challengeId))
  if (typed === '') return
  const { drafts, write } = useFlagDrafts.getState()
  write(challengeId, `${drafts[challengeId] ?? ''}${typed}`)
}
