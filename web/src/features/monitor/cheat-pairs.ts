import type { CheatRecord } from '@capstan/contract/submissions'

/** Two teams with all flags that one submitted and the other owns. */
export interface CheatPair {
  /** Both team ids, the smaller first. */
  readonly key: string
  readonly one: CheatRecord['ownedTeam']
  readonly other: CheatRecord['ownedTeam']
  /** Newest first. */
  readonly records: readonly CheatRecord[]
  /** Flags went both ways, which an accident rarely does. */
  readonly isMutual: boolean
}

const timeOf = ({ submission }: CheatRecord) => Date.parse(submission.time)
const newestFirst = (one: CheatRecord, other: CheatRecord) => timeOf(other) - timeOf(one)

/** Records by pair of teams, whichever submitted; pairs with most records first, then those with the newest one. */
export function pairsOf(records: readonly CheatRecord[]): readonly CheatPair[] {
  const groups = new Map<string, CheatRecord[]>()
  for (const record of records) {
    const ids = [record.ownedTeam.team.id, record.submitTeam.team.id].sort((one, other) => one - other)
    const key = ids.join(' ')
    groups.set(key, [...(groups.get(key) ?? []), record])
  }
  return [...groups]
    .flatMap(([key, group]) => {
      const sorted = group.toSorted(newestFirst)
      const newest = sorted[0]
      if (!newest) return []
      const isMutual = sorted.some((record) => record.submitTeam.team.id === newest.ownedTeam.team.id)
      return [{ key, one: newest.ownedTeam, other: newest.submitTeam, records: sorted, isMutual, newest }]
    })
    .sort((one, other) => other.records.length - one.records.length || newestFirst(one.newest, other.newest))
    .map(({ newest: _, ...pair }) => pair)
}

/** What a search looks through. */
export const cheatText = ({ ownedTeam, submitTeam, submission }: CheatRecord): readonly string[] => [
  ownedTeam.team.name,
  submitTeam.team.name,
  submission.user,
  submission.challenge,
  submission.answer,
]
