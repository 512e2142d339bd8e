import { createHash } from 'node:crypto'
import type { Random } from '../signing/random.ts'
import { type LeetTable, leet, plainLeet, wideLeet } from './leet.ts'

/** Markers of a flag template, spelled exactly so. Behaviour §10. */
export const guidMarker = '[GUID]'
export const teamHashMarker = '[TEAM_HASH]'
export const leetMarker = '[LEET]'
export const wideLeetMarker = '[CLEET]'

/** Flag of a test container whose challenge has no template. */
export const testFlag = 'flag{this_is_a_test_flag}'

/** What a `[TEAM_HASH]` depends on: game, challenge and team, nothing else. */
export interface FlagContext {
  /** As from `gameSalt`. */
  readonly gameSalt: string
  readonly challengeId: number
  /** Token of the participation. */
  readonly teamToken: string
}

const sha256Hex = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex')

/** 12 hexadecimal digits: characters 13 to 24 of sha256hex(sha256hex("salt::challenge")::token). Behaviour §10. */
export const teamHash = ({ gameSalt, challengeId, teamToken }: FlagContext): string =>
  sha256Hex(`${sha256Hex(`${gameSalt}::${challengeId}`)}::${teamToken}`).slice(12, 24)

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

const fill = (template: string, context: FlagContext, random: Random): string | undefined => {
  const { text, table } = parseTemplate(template)
  if (text === '') return undefined
  const leeted = table ? leet(text, table, random) : text
  const withHash = leeted.includes(teamHashMarker) ? leeted.replaceAll(teamHashMarker, teamHash(context)) : leeted
  return withHash.includes(guidMarker) ? withHash.replaceAll(guidMarker, random.uuid()) : withHash
}

/**
 * Flag of one team for a DynamicContainer challenge.
 *
 * @param template at most 120 characters and let through by `refuseTemplate`; null or blank gives `flag{<random UUID>}`
 */
export const generateFlag = (template: string | null, context: FlagContext, random: Random): string =>
  fill(template ?? '', context, random) ?? `flag{${random.uuid()}}`

/** Flag of a test container: the same rules with a random stand-in for the team; a blank template gives a fixed flag. */
export const generateTestFlag = (template: string | null, context: Omit<FlagContext, 'teamToken'>, random: Random): string =>
  template === null || parseTemplate(template).text === ''
    ? testFlag
    : generateFlag(template, { ...context, teamToken: random.uuid() }, random)
