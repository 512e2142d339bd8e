import type { ScoreboardTeam } from '@capstan/contract/scoreboard'

/** Returns a CSV cell (RFC 4180). A leading apostrophe prevents spreadsheets from reading a name as a formula. */
function cell(value: string | number): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value)
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * Returns the final standings as CSV, with a byte order mark for spreadsheets. The rank of a team without an overall rank is empty.
 * @param headings headings for rank, team, points and solves
 */
export function createResultsCsv(headings: readonly string[], teams: readonly ScoreboardTeam[]): Blob {
  const rows = [headings, ...teams.map(({ rank, name, score, solvedCount }) => [rank || '', name, score, solvedCount])]
  const lines = rows.map((row) => `${row.map(cell).join(',')}\r\n`)
  return new Blob(['\uFEFF', ...lines], { type: 'text/csv;charset=utf-8' })
}
