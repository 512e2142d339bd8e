import type { Finding, Outcome } from '../../isolation-probe/attempts.ts'

const outcomeWords: Record<Outcome, string> = { blocked: 'blocked', escaped: 'ESCAPED', broken: 'UNKNOWN', skipped: 'skipped' }

/**
 * Formats the doctor's report, with a line for each attempt. Successful escapes come last, because a reader of a log looks at the
 * end first.
 */
export function formatDoctorReport(findings: Finding[]): string {
  const order: Outcome[] = ['skipped', 'blocked', 'broken', 'escaped']
  const sorted = [...findings].sort((a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome))
  const rows = [
    ['result', 'attempt', 'what protects', 'seen'],
    ...sorted.map(({ title, control, outcome, detail }) => [outcomeWords[outcome], title, control, detail]),
  ]
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const count = (outcome: Outcome) => findings.filter((finding) => finding.outcome === outcome).length
  const unknown = count('broken') > 0 ? `, ${count('broken')} could not be tried` : ''
  return [
    ...lines,
    `${findings.length} attempts: ${count('blocked')} blocked, ${count('skipped')} allowed or absent here, ${count('escaped')} escaped${unknown}`,
  ].join('\n')
}

/** True if all attempts were blocked or skipped. A broken attempt counts as a failure. */
export function isEveryAttemptBlockedOrSkipped(findings: Finding[]): boolean {
  return findings.length > 0 && findings.every(({ outcome }) => outcome === 'blocked' || outcome === 'skipped')
}
