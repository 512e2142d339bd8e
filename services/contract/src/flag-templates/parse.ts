import { type LeetTable, plainLeet, wideLeet } from './leet.ts'

/** Case-sensitive markers in flag templates. See docs/contract/challenges.md#templates. */
export const guidMarker = '[GUID]'
export const teamHashMarker = '[TEAM_HASH]'
const leetMarker = '[LEET]'
const wideLeetMarker = '[CLEET]'

/** Parsed template. `text` is the template without a leet marker, and `table` contains the leet replacements. */
export type ParsedTemplate = Readonly<{
  text: string
  table: LeetTable | undefined
  hasUniqueMarker: boolean
}>

/**
 * Trims and parses a template. Without trimming, a flag could begin or end with a blank, and no answer would match it, because
 * answers are trimmed.
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
