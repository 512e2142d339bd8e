import { hasSharedFlags } from '@capstan/contract/challenge-types'
import { Limits } from '@capstan/contract/limits'
import type { FlagRule } from '../format/challenge.ts'
import { type FlagOf, trimFlag } from './challenge.ts'
import { findFlagFault, findFlagRuleFaults, limitFlagRules } from './faults.ts'
import { note, noteMistake, nothingRuns, type ReadContext } from './read-context.ts'
import { type GivenFile, readAttachment, readText } from './read-files.ts'

export type EachTeamRule = Extract<FlagRule, { eachTeam: string }>

export const hexMarker = '[HEX]'

const maxFlagFileBytes = 4_096

export function isTemplate(flag: FlagRule): flag is Extract<FlagRule, { template: string }> {
  return 'template' in flag
}

export function isFlagRuleForEachTeam(flag: FlagRule): flag is EachTeamRule {
  return 'eachTeam' in flag
}

export function hasOwnFile(flag: FlagRule): boolean {
  return isFlagRuleForEachTeam(flag) || ('text' in flag && flag.attachment !== undefined)
}

/** Returns a pattern. If the platform does not accept the pattern, reports it. @returns undefined if the pattern was reported */
function checkPattern(context: ReadContext, pattern: FlagOf<GivenFile>, field: string): FlagOf<GivenFile> | undefined {
  if ([...pattern.flag].length > Limits.maxFlagPatternLength) {
    noteMistake(context, field, `A pattern has at most ${Limits.maxFlagPatternLength} characters, including \`(?i)\`.`)
    return undefined
  }
  const fault = findFlagFault(pattern)
  if (fault === undefined) return pattern
  const advice = 'Rewrite it in the editor and test it there.'
  // Authors edit the field `pattern` of the rule. Organizers see only the whole flag, so the finding names the rule.
  const place = context.author === undefined ? field : `${field}.pattern`
  noteMistake(context, place, `The pattern is not valid RE2: ${fault.why}.`, advice)
  return undefined
}

/** Returns a trimmed flag. If the platform does not accept the flag, reports it. @returns undefined if the flag was reported */
function checkText(context: ReadContext, given: FlagOf<GivenFile>, field: string, why?: string): FlagOf<GivenFile> | undefined {
  const flag = trimFlag(given)
  const fault = findFlagFault(flag)
  if (fault === undefined) return flag
  noteMistake(context, field, why ?? fault.why)
  return undefined
}

/** Returns the flag of a rule. @returns undefined for a rule that generates flags, or if the flag cannot be read */
function readFlag(context: ReadContext, rule: FlagRule, index: number): FlagOf<GivenFile> | undefined {
  const { author } = context
  const field = `flags[${index}]`
  if ('template' in rule) return undefined
  const worth = 'points' in rule && rule.points !== undefined ? { points: rule.points } : {}
  if ('pattern' in rule) {
    const flag = rule.ignoreCase === true ? `(?i)${rule.pattern}` : rule.pattern
    return checkPattern(context, { flag, file: null, kind: 'Pattern', ...worth }, field)
  }
  if ('text' in rule) {
    const file = rule.attachment === undefined ? null : readAttachment(context, [rule.attachment], field).given
    const kind = rule.ignoreCase === true && { kind: 'Caseless' as const }
    return checkText(context, { flag: rule.text, file, ...kind, ...worth }, field)
  }
  if ('environment' in rule) {
    const flag = author?.environment[rule.environment]
    if (flag?.trim()) return checkText(context, { flag, file: null, ...worth }, field)
    if (author === undefined) note(context, field, 'left-out', nothingRuns, 'Add the flag in the editor.')
    else noteMistake(context, field, `The environment variable ${rule.environment} is not set. It must contain a flag.`)
    return undefined
  }
  if ('eachTeam' in rule) {
    if (author === undefined) note(context, field, 'left-out', nothingRuns, 'Add the flag in the editor.')
    if (rule.eachTeam.split(hexMarker).length !== 2) noteMistake(context, field, '`eachTeam` must contain `[HEX]` once.')
    return undefined
  }
  const flag = readText(context, field, rule.file, maxFlagFileBytes)?.split('\n', 1)[0]
  if (flag === undefined) return undefined
  const why = `The first line of \`${rule.file}\` is not a flag of 1 to ${Limits.maxFlagLength} characters.`
  return checkText(context, { flag, file: null, ...worth }, field, why)
}

/**
 * Returns the flags of a challenge in which each team has a separate flag and file. The platform compares such flags exactly.
 * Patterns are therefore refused, and flags that ignore case are converted.
 */
function toExactFlags(context: ReadContext, flags: readonly FlagOf<GivenFile>[]): FlagOf<GivenFile>[] {
  if (flags.some(({ kind }) => kind === 'Pattern'))
    noteMistake(context, 'flags', 'Each flag needs its own file, which a pattern cannot have.', 'List the correct flags.')
  if (flags.some(({ points }) => points !== undefined))
    noteMistake(context, 'flags', 'Each team has its own flag here, so a flag cannot have points.', 'Set the points in `score`.')
  if (flags.some(({ kind }) => kind === 'Caseless'))
    note(context, 'flags', 'converted', 'Flags of a single team are always case-sensitive.')
  return flags.filter(({ kind }) => kind !== 'Pattern').map(({ kind: _, ...flag }) => flag)
}

function withFewRules(context: ReadContext, flags: readonly FlagOf<GivenFile>[]): FlagOf<GivenFile>[] {
  for (const { why } of findFlagRuleFaults({ type: context.type, flags })) noteMistake(context, 'flags', why)
  return limitFlagRules(flags)
}

/** Returns the flag template of a challenge in which each team gets its own flag. */
function readTemplate(context: ReadContext): string {
  const rules = context.described.flags
  const templates = rules.filter(isTemplate)
  if (templates.length > 1 || templates.length < rules.length)
    noteMistake(context, 'flags', 'Each team gets its own flag here, so `flags` must contain one template and nothing else.')
  return templates[0]?.template ?? ''
}

/** Reads the flags and the flag template. */
export function readFlags(context: ReadContext): { flags: FlagOf<GivenFile>[]; template: string } {
  const { author, type } = context
  const rules = context.described.flags
  const given = rules.flatMap((rule, index) => readFlag(context, rule, index) ?? [])
  if (rules.filter(isFlagRuleForEachTeam).length > 1)
    noteMistake(context, 'flags', 'Only one rule can create the flags of all teams.')
  if (type === 'DynamicContainer') return { flags: [], template: readTemplate(context) }
  if (rules.some(isTemplate))
    noteMistake(context, 'flags', 'A flag template needs a container that receives the flag.', 'List a flag, or add a container.')
  if (author !== undefined && type !== 'DynamicAttachment' && rules.some(hasOwnFile))
    noteMistake(context, 'flags', 'If one flag has its own file, every flag needs one.')
  const flags = hasSharedFlags(type) ? withFewRules(context, given) : toExactFlags(context, given)
  if (flags.length === 0 && author === undefined)
    note(
      context,
      'flags',
      'converted',
      'No flag can be imported, so the challenge cannot be solved yet.',
      'Add one before you enable it.',
    )
  return { flags, template: '' }
}
