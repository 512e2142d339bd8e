import type { ParticipationRecord, ParticipationStatus } from '@capstan/contract/games'
import type { Verdict } from '@capstan/contract/vocabulary'

/** What organizers are offered, by the status of now. A rejected team joins again by itself. */
const offers: Readonly<Record<ParticipationStatus, readonly Verdict[]>> = {
  Pending: ['Accepted', 'Rejected'],
  Accepted: ['Suspended'],
  Suspended: ['Accepted'],
  Rejected: [],
  Unsubmitted: [],
}

export function isOffered(from: ParticipationStatus, to: Verdict): boolean {
  return offers[from].includes(to)
}

/** A change of one team's status, as it is made and taken back. */
export type StatusChange = Readonly<{
  id: number
  /** Name of the team. */
  team: string
  from: ParticipationStatus
  to: Verdict
}>

/** The changes that a verdict makes to some teams; teams for which it is not offered are left out. */
export function changesFor(
  records: readonly ParticipationRecord[],
  ids: ReadonlySet<number>,
  to: Verdict,
): readonly StatusChange[] {
  return records.flatMap(({ id, team, status }) =>
    ids.has(id) && isOffered(status, to) ? [{ id, team: team.name ?? '', from: status, to }] : [],
  )
}

/** What takes the changes back. The server takes any of the four, also those that are not offered. */
export function undoOf(changes: readonly StatusChange[]): readonly StatusChange[] {
  return changes.flatMap(({ from, to, ...which }) => (from === 'Unsubmitted' ? [] : [{ ...which, from: to, to: from }]))
}

export type ReviewFilter = Readonly<{
  status: Verdict | 'all'
  /** Name of a division; empty: all. */
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

/** Teams that match, those that wait first, then by id: the order in which they joined. */
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
    .toSorted((one, other) => order[one.status] - order[other.status] || one.id - other.id)
}

/** The teams as they will be once the changes on their way have arrived. */
export function withPending(
  records: readonly ParticipationRecord[],
  pending: ReadonlyMap<number, Verdict>,
): readonly ParticipationRecord[] {
  return pending.size === 0 ? records : records.map((record) => ({ ...record, status: pending.get(record.id) ?? record.status }))
}

/** How many teams have each status. */
export function countByStatus(records: readonly ParticipationRecord[]): Readonly<Record<Verdict, number>> {
  const counts = { Pending: 0, Accepted: 0, Rejected: 0, Suspended: 0 }
  for (const { status } of records) if (status !== 'Unsubmitted') counts[status] += 1
  return counts
}

/** Where the cursor goes when the team it was on has left the list: to the one that took its place. */
export function cursorAfter(ids: readonly number[], cursor: number | undefined, previous: readonly number[]): number | undefined {
  if (cursor === undefined || ids.includes(cursor)) return cursor
  const at = previous.indexOf(cursor)
  const later = previous.slice(at + 1).find((id) => ids.includes(id))
  return later ?? ids.at(-1)
}
