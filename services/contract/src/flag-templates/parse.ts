import { type LeetTable, plainLeet, wideLeet } from './leet.ts'

/** Markers of a flag template, spelled exactly so. Rules: docs/contract/challenges.md#templates. */
export const guidMarker = '[GUID]'
export const teamHashMarker = '[TEAM_HASH]'
const leetMarker = '[LEET]'
const wideLeetMarker = '[CLEET]'

/** A template taken apart: the text without its leet marker, and the table to use on it, if any. */
export interface ParsedTemplate {
  readonly text: string
  readonly table: LeetTable | undefined
  /** Contains `[GUID]` or `[TEAM_HASH]`. */
  readonly hasUniqueMarker: boolean
}

/** Blanks at the ends are dropped: answers are trimmed before they are compared, so such a flag could never be handed in. */
export const parseTemplate = (template: string): ParsedTemplate => {
  const whole = template.trim()
  const marker = [leetMarker, wideLeetMarker].find((candidate) => whole.startsWith(candidate))
  const text = marker === undefined ? whole : whole.slice(marker.length).trim()
  const hasUniqueMarker = text.includes(guidMarker) || text.includes(teamHashMarker)
  const tableWithoutMarker = hasUniqueMarker ? undefined : plainLeet
  const table = marker === undefined ? tableWithoutMarker : marker === wideLeetMarker ? wideLeet : plainLeet
  return { text, table, hasUniqueMarker }
}
