import { flagKey, typeAhead } from '../../lib/type-ahead.ts'
import { useFlagDrafts } from '../../stores/flag-drafts.ts'

/** Saves text that the user typed for a challenge's flag field before the field existed. */
export function saveTyped(challengeId: number): void {
  const typed = typeAhead.typedFor(flagKey(challengeId))
  if (typed === '') return
  const { drafts, write } = useFlagDrafts.getState()
  write(challengeId, `${drafts[challengeId] ?? ''}${typed}`)
}
