import type { ParticipationRecord, ParticipationStatus } from '@capstan/contract/games'
import type { Verdict } from '@capstan/contract/vocabulary'

/** Possible new statuses of a team, for each current status. */
const offers: Readonly<Record<ParticipationStatus, readonly Verdict[]>> = {
  Pending: ['Accepted', 'Rejected'],
  Accepted: ['Suspended'],
  Suspended: ['Accepted'],
  Rejected: [],
  Unsubmitted: [],
}

export function isVerdictOffered(from: ParticipationStatus, to: Verdict): boolean {
  return offers[from].includes(to)
}

/** Change of a team's status, which can be undone. */
export type StatusChange = Readonly<{
  id: number
  team: string
  from: ParticipationStatus
  to: Verdict
  /** Division before the change. A rejection removes it, so an undo restores it. */
  division: string | null
  /** True if the team was on the waiting list before the change. */
  wasWaiting: boolean
  /** True to put the team on the waiting list if the game is full. False to accept the team even if the game is full. */
  withinLimit: boolean
}>

/** Returns one status change per team in `ids`. Omits teams for which the page does not offer the status `to`. */
export function listVerdictChanges(
  records: readonly ParticipationRecord[],
  ids: ReadonlySet<number>,
  to: Verdict,
): readonly StatusChange[] {
  return records.flatMap(({ id, team, status, organization, waitingPlace }) => {
    if (!ids.has(id) || !isVerdictOffered(status, to)) return []
    const wasWaiting = waitingPlace != null
    const withinLimit = to === 'Accepted' && !wasWaiting
    return [{ id, team: team.name ?? '', from: status, to, division: organization, wasWaiting, withinLimit }]
  })
}

/** Returns the changes that restore the previous statuses. An undo may set statuses for which the page has no button. */
export function listUndoChanges(changes: readonly StatusChange[]): readonly StatusChange[] {
  return changes.flatMap(({ from, to, ...which }) => {
    if (from === 'Unsubmitted') return []
    // The server puts an approved team back at its previous place on the waiting list.
    const restored = which.wasWaiting ? ({ to: 'Accepted', withinLimit: true } as const) : { to: from, withinLimit: false }
    return [{ ...which, from: to, ...restored }]
  })
}

export type ReviewFilter = Readonly<{
  status: Verdict | 'all'
  division: string
  search: string
}>

const order: Readonly<Record<ParticipationStatus, number>> = {
  Pending: 0,
  Accepted: 1,
  Suspended: 2,
  Rejected: 3,
  Unsubmitted: 4,
}

function wordsOf({ team, organization }: ParticipationRecord) {
  return [
    team.name,
    organization,
    String(team.id),
    ...team.members.flatMap(({ userName, realName, stdNumber, email }) => [userName, realName, stdNumber, email]),
  ]
    .join('\n')
    .toLowerCase()
}

/**
 * Returns the teams that match the filters: first teams that wait for review, then the waiting list, then all other teams. Teams
 * with the same status are sorted by id, which is the order in which the teams joined.
 */
export function filterRecords(
  records: readonly ParticipationRecord[],
  { status, division, search }: ReviewFilter,
): readonly ParticipationRecord[] {
  const text = search.trim().toLowerCase()
  return records
    .filter(
      (record) =>
        (status === 'all' || record.status === status) &&
        (division === '' || record.organization === division) &&
        (text === '' || wordsOf(record).includes(text)),
    )
    .toSorted(
      (one, other) =>
        order[one.status] - order[other.status] || (one.waitingPlace ?? 0) - (other.waitingPlace ?? 0) || one.id - other.id,
    )
}

/** Returns the teams after the pending changes were applied to them. */
export function applyPendingChanges(
  records: readonly ParticipationRecord[],
  pending: ReadonlyMap<number, Verdict>,
): readonly ParticipationRecord[] {
  return pending.size === 0 ? records : records.map((record) => ({ ...record, status: pending.get(record.id) ?? record.status }))
}

export function countTeamsByStatus(records: readonly ParticipationRecord[]): Readonly<Record<Verdict, number>> {
  const counts = { Pending: 0, Accepted: 0, Rejected: 0, Suspended: 0 }
  for (const { status } of records) if (status !== 'Unsubmitted') counts[status] += 1
  return counts
}

/**
 * Returns the row that receives keyboard actions. If the team of this row left the list, returns the row of the next team, or
 * else the last row.
 */
export function findRowWithKeyboardCursor(
  ids: readonly number[],
  cursor: number | undefined,
  previous: readonly number[],
): number | undefined {
  if (cursor === undefined || ids.includes(cursor)) return cursor
  const at = previous.indexOf(cursor)
  const later = previous.slice(at + 1).find((id) => ids.includes(id))
  return later ?? ids.at(-1)
}
