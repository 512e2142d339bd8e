import { createHash } from 'node:crypto'
import { leet } from '@capstan/contract/flag-templates/leet'
import { guidMarker, parseTemplate, teamHashMarker } from '@capstan/contract/flag-templates/parse'
import { Limits } from '@capstan/contract/limits'
import type { Random } from '../signing/random.ts'

/** Flag of a test container whose challenge has no template. */
export const testFlag = 'flag{this_is_a_test_flag}'

/** What a `[TEAM_HASH]` depends on: game, challenge and team, nothing else. */
export type FlagContext = Readonly<{
  /** As from `gameSalt`. */
  gameSalt: string
  challengeId: number
  /** Token of the participation. */
  teamToken: string
}>

function sha256Hex(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}

/**
 * 12 hexadecimal digits: characters 13 to 24 of sha256hex(sha256hex("salt::challenge")::token).
 * Rules: docs/contract/challenges.md#templates.
 */
export function teamHash({ gameSalt, challengeId, teamToken }: FlagContext): string {
  return sha256Hex(`${sha256Hex(`${gameSalt}::${challengeId}`)}::${teamToken}`)
    .slice(12)
    .slice(0, Limits.teamHashLength)
}

function fill(template: string, context: FlagContext, random: Random): string | undefined {
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
export function generateFlag(template: string | null, context: FlagContext, random: Random): string {
  return fill(template ?? '', context, random) ?? `flag{${random.uuid()}}`
}

/** Flag of a test container: the same rules with a random stand-in for the team; a blank template gives a fixed flag. */
export function generateTestFlag(template: string | null, context: Omit<FlagContext, 'teamToken'>, random: Random): string {
  return template === null || parseTemplate(template).text === ''
    ? testFlag
    : generateFlag(template, { ...context, teamToken: random.uuid() }, random)
}
