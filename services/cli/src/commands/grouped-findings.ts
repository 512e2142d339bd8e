import type { FindingGroup } from '@capstan/challenge-files/grouped-findings'
import { formatFinding } from '@capstan/challenge-files/report'

function groupLines({ outcome, why, advice, count, findings }: FindingGroup): string[] {
  const [first] = findings
  if (first !== undefined && count === 1) return [formatFinding(first)]
  const places = findings.map(({ file, line, field }) => `  ${file}:${line}${field === '' ? '' : `: ${field}`}`)
  return [
    `${count} × ${outcome}: ${why}${advice === undefined ? '' : ` ${advice}`}`,
    ...places,
    ...(count > places.length ? [`  and ${count - places.length} more`] : []),
  ]
}

/** Formats groups of findings. Notes that need no action are only counted. */
export function formatFindingGroups(groups: readonly FindingGroup[]): string[] {
  const notes = groups.filter(({ urgency }) => urgency === 'note').reduce((sum, { count }) => sum + count, 0)
  return [
    ...groups.filter(({ urgency }) => urgency !== 'note').flatMap(groupLines),
    ...(notes > 0 ? [`${notes} notes need no action; --verbose prints them.`] : []),
  ]
}
