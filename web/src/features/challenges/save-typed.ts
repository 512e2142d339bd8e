import { keyOfFlagDraft, typeAhead } from '../../lib/type-ahead.ts'
import { useFlagDrafts } from '../../stores/flag-drafts.ts'

/** Saves in the draft what the player typed before the flag field existed. */
export function saveTypedFlag(challengeId: number): void {
  const typed = typeAhead.typedFor(keyOfFlagDraft(challengeId))
  if (typed === '') return
  const { drafts, write } = useFlagDrafts.getState()
  write(challengeId, `${drafts[challengeId] ?? ''}${typed}`)
}
