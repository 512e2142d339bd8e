import type { Finding } from '@capstan/challenge-files/report'

/** Problem that the command `lint` reports about a challenge. */
export type LintFinding = Readonly<Pick<Finding, 'file' | 'line' | 'why'> & { advice: string }>

export function formatLintFinding({ file, line, why, advice }: LintFinding): string {
  return `${file}:${line}: ${why} ${advice}`
}
