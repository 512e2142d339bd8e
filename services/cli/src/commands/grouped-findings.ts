import { type Finding, findingLine } from '@capstan/challenge-files/report'

const maxPlaces = 5

/** Returns the rank of a finding: refusals first, then those with advice, then notes. */
function rankOf({ outcome, advice }: Finding): number {
  return outcome === 'refused' ? 0 : advice === undefined ? 2 : 1
}

function groupLines(group: readonly Finding[]): string[] {
  const [first] = group
  if (first === undefined) return []
  if (group.length === 1) return [findingLine(first)]
  const { outcome, why, advice } = first
  const places = group.slice(0, maxPlaces).map(({ file, line, field }) => `  ${file}:${line}${field === '' ? '' : `: ${field}`}`)
  return [
    `${group.length} × ${outcome}: ${why}${advice === undefined ? '' : ` ${advice}`}`,
    ...places,
    ...(group.length > maxPlaces ? [`  and ${group.length - maxPlaces} more`] : []),
  ]
}

/**
 * Formats findings with the same reason as one group: refusals first, then those that need an action. Notes that need none are only
 * counted.
 */
export function groupedLines(findings: readonly Finding[]): string[] {
  const groups = [...Map.groupBy(findings, ({ outcome, why, advice }) => JSON.stringify([outcome, why, advice])).values()]
  const ranked = groups
    .map((group) => ({ group, rank: rankOf(group[0] as Finding) }))
    .toSorted((left, right) => left.rank - right.rank || right.group.length - left.group.length)
  const notes = ranked.filter(({ rank }) => rank === 2).reduce((sum, { group }) => sum + group.length, 0)
  return [
    ...ranked.filter(({ rank }) => rank < 2).flatMap(({ group }) => groupLines(group)),
    ...(notes > 0 ? [`${notes} notes need no action; --verbose prints them.`] : []),
  ]
}
