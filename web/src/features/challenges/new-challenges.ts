import type { PlayerBoard } from '@capstan/contract/scoreboard'
import { useEffect, useMemo, useState } from 'react'
import { useSession } from '../../lib/session.ts'
import { useSeenChallenges } from '../../stores/seen-challenges.ts'
import { idsOfUser } from '../../stores/user-ids.ts'

/** Returns the challenges that the user has not seen. On the first visit it returns none, because otherwise all would be new. */
export function findUnseenChallenges(ids: readonly number[], seen: ReadonlySet<number>): ReadonlySet<number> {
  return new Set(ids.some((id) => seen.has(id)) ? ids.filter((id) => !seen.has(id)) : [])
}

const none: ReadonlySet<number> = new Set()

/**
 * Returns the challenges that are new since the previous visit. A challenge remains new until it is opened or this visit ends.
 */
export function useNewChallenges(board: PlayerBoard | undefined, opened: number | undefined): ReadonlySet<number> {
  const { profile } = useSession()
  const userId = profile?.userId ?? ''
  const [visit, setVisit] = useState<Readonly<{ userId: string; seen: ReadonlySet<number> }>>()
  if (visit?.userId !== userId) setVisit({ userId, seen: new Set(idsOfUser(useSeenChallenges.getState(), userId)) })
  else if (opened !== undefined && visit.seen.size > 0 && !visit.seen.has(opened))
    setVisit({ userId, seen: new Set([...visit.seen, opened]) })
  const ids = useMemo(
    () =>
      Object.values(board?.challenges ?? {})
        .flat()
        .map(({ id }) => id),
    [board?.challenges],
  )
  useEffect(() => {
    if (userId === '') return
    const known = new Set(idsOfUser(useSeenChallenges.getState(), userId))
    const added = ids.filter((id) => !known.has(id))
    if (added.length > 0) useSeenChallenges.getState().add(userId, added)
  }, [ids, userId])
  return useMemo(() => (visit ? findUnseenChallenges(ids, visit.seen) : none), [ids, visit])
}
