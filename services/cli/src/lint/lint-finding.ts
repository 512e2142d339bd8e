import type { Finding } from '@capstan/challenge-files/report'

/** Weakness of a challenge that the platform accepts. */
export type LintFinding = Readonly<Pick<Finding, 'file' | 'line' | 'why'> & { advice: string }>

export function formatLintFinding({ file, line, why, advice }: LintFinding): string {
  return `${file}:${line}: ${why} ${advice}`
}
