import { keyOfFlagDraft, typeAhead } from '../../lib/type-ahead.ts'
import { useFlagDrafts } from '../../stores/flag-drafts.ts'

/** Adds text that the user typed before the flag field existed to the draft of the flag. */
export function saveTypedFlag(challengeId: number): void {
  const typed = typeAhead.typedFor(keyOfFlagDraft(challengeId))
  if (typed === '') return
  const { drafts, write } = useFlagDrafts.getState()
  write(challengeId, `${drafts[challengeId] ?? ''}${typed}`)
}
