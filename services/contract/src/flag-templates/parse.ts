import { type LeetTable, plainLeet, wideLeet } from './leet.ts'

/** Case-sensitive marker of a flag template. See docs/contract/challenges.md#templates. */
export const guidMarker = '[GUID]'
export const teamHashMarker = '[TEAM_HASH]'
const leetMarker = '[LEET]'
const wideLeetMarker = '[CLEET]'

/**
 * Parsed template: its text without a leet marker, and the leet table to apply. Without any marker, the plain table makes the
 * flags of teams differ.
 */
export type ParsedTemplate = Readonly<{
  text: string
  table: LeetTable | undefined
  hasUniqueMarker: boolean
}>

/**
 * Parses and trims a template. Answers are trimmed before they are compared, so a flag that starts or ends with a blank would
 * never match.
 */
export function parseTemplate(template: string): ParsedTemplate {
  const whole = template.trim()
  const marker = [leetMarker, wideLeetMarker].find((candidate) => whole.startsWith(candidate))
  const text = marker === undefined ? whole : whole.slice(marker.length).trim()
  const hasUniqueMarker = text.includes(guidMarker) || text.includes(teamHashMarker)
  const tableWithoutMarker = hasUniqueMarker ? undefined : plainLeet
  const table = marker === undefined ? tableWithoutMarker : marker === wideLeetMarker ? wideLeet : plainLeet
  return { text, table, hasUniqueMarker }
}
