import { createHash } from 'node:crypto'
import { applyLeet } from '@capstan/contract/flag-templates/leet'
import { guidMarker, parseTemplate, teamHashMarker } from '@capstan/contract/flag-templates/parse'
import { Limits } from '@capstan/contract/limits'
import type { Random } from '../signing/random.ts'

/** Flag of a test container whose challenge has no template. */
export const testFlag = 'flag{this_is_a_test_flag}'

/** Input of `[TEAM_HASH]`: game, challenge and team. */
export type FlagContext = Readonly<{
  gameSalt: string
  challengeId: number
  teamToken: string
}>

function sha256Hex(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}

/**
 * Returns 12 hexadecimal digits: characters 13 to 24 of sha256hex(sha256hex("salt::challenge")::token).
 * Rules: docs/contract/challenges.md#templates.
 */
export function computeTeamHash({ gameSalt, challengeId, teamToken }: FlagContext): string {
  return sha256Hex(`${sha256Hex(`${gameSalt}::${challengeId}`)}::${teamToken}`)
    .slice(12)
    .slice(0, Limits.teamHashLength)
}

function fill(template: string, context: FlagContext, random: Random): string | undefined {
  const { text, table } = parseTemplate(template)
  if (text === '') return undefined
  const leeted = table ? applyLeet(text, table, random) : text
  const withHash = leeted.includes(teamHashMarker) ? leeted.replaceAll(teamHashMarker, computeTeamHash(context)) : leeted
  return withHash.includes(guidMarker) ? withHash.replaceAll(guidMarker, random.uuid()) : withHash
}

/**
 * Generates the flag of one team for a DynamicContainer challenge.
 * @param template text of at most 120 characters that `refuseFlagTemplate` accepts. If the template is null or blank, the flag is
 * `flag{<random UUID>}`
 */
export function generateFlag(template: string | null, context: FlagContext, random: Random): string {
  return fill(template ?? '', context, random) ?? `flag{${random.uuid()}}`
}

/** Generates the flag of a test container with a random team token. @returns a fixed flag if the template is blank */
export function generateTestContainerFlag(
  template: string | null,
  context: Omit<FlagContext, 'teamToken'>,
  random: Random,
): string {
  return template === null || parseTemplate(template).text === ''
    ? testFlag
    : generateFlag(template, { ...context, teamToken: random.uuid() }, random)
}
