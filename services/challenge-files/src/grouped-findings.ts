import { ImportUrgency } from '@capstan/contract/exchange'
import type { Finding } from './report.ts'

/** Findings with the same reason. */
export type FindingGroup = Pick<Finding, 'outcome' | 'why' | 'advice' | 'repair'> &
  Readonly<{
    urgency: ImportUrgency
    /** Number of findings in the group. `findings` lists only the first findings. */
    count: number
    findings: readonly Finding[]
  }>

/** Maximum number of findings that are listed for a group. */
const maxListed = 5

function urgencyOf({ outcome, advice }: Finding): ImportUrgency {
  return outcome === 'refused' ? 'refused' : advice === undefined ? 'note' : 'action'
}

/**
 * Groups findings with the same reason. Refusals are first, then groups that need an action, then notes. Among groups of the same
 * urgency, the largest group is first.
 */
export function groupFindings(findings: readonly Finding[]): FindingGroup[] {
  const groups = Map.groupBy(findings, ({ outcome, why, advice, repair }) => JSON.stringify([outcome, why, advice, repair]))
  return [...groups.values()]
    .flatMap((group): FindingGroup[] => {
      const [first] = group
      if (first === undefined) return []
      const { outcome, why, advice, repair } = first
      return [
        {
          urgency: urgencyOf(first),
          outcome,
          why,
          ...(advice !== undefined && { advice }),
          ...(repair !== undefined && { repair }),
          count: group.length,
          findings: group.slice(0, maxListed),
        },
      ]
    })
    .toSorted(
      (left, right) =>
        ImportUrgency.enum.indexOf(left.urgency) - ImportUrgency.enum.indexOf(right.urgency) || right.count - left.count,
    )
}
