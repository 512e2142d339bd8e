// Flags and attachments of a challenge. Rules: docs/contract/challenges.md#flags-and-files, docs/contract/files.md.
import { trimFlag } from '@capstan/challenge-files/challenge/challenge'
import { type ChallengeFault, findFlagFault, findFlagRuleFaults } from '@capstan/challenge-files/challenge/faults'
import { replaceFlags } from '@capstan/contract/challenge-parts'
import { hasFlagList, hasSharedFlags } from '@capstan/contract/challenge-types'
import type { FlagInput, FlagRule, FlagRuleEntry, FlagTrial, FlagTrialResult } from '@capstan/contract/challenges'
import type { AttachmentInput } from '@capstan/contract/files'
import { Problem } from '@capstan/contract/problems'
import type { InstanceDeps } from '../../instances/deps.ts'
import { matchesFlagRule } from '../../rules/flags/rules.ts'
import { type AttachmentSource, attachmentSourceOf } from './policy.ts'
import { fileOfAttachmentSource } from './reference.ts'
import { createChallengeRepository, type FlagRow } from './repository.ts'
import { editChallenge, getChallengeRow } from './store.ts'

function sourceOf(input: AttachmentInput): AttachmentSource | undefined {
  const source = attachmentSourceOf(input)
  if (typeof source === 'string') throw new Problem(source)
  return source
}

/** @throws Problem with the code of the fault. Its detail is the JSON pointer of an invalid value, or the error of a pattern. */
export function throwFault({ code, at, why }: ChallengeFault): never {
  if (code === 'request.invalid') throw new Problem(code, { detail: at })
  throw new Problem(code, code === 'flag.pattern' ? { detail: why } : {})
}

/** @throws Problem `flag.pattern`, `request.invalid` */
function assertValidFlag(rule: FlagRule, path: string): void {
  const fault = findFlagFault(rule, path)
  if (fault) throwFault(fault)
}

function namesOf({ db }: Pick<InstanceDeps, 'db'>, sources: readonly (AttachmentSource | undefined)[]) {
  const hashes = sources.flatMap((source) => (source?.type === 'Local' ? [source.fileHash] : []))
  return createChallengeRepository(db).findFileNames(hashes)
}

/**
 * Adds flags with their files.
 * @throws Problem `challenge.unknown`, `request.parameter` (also for DynamicContainer, which has no list of flags),
 * `file.unknown`
 */
export async function addFlags(deps: InstanceDeps, gameId: number, id: number, inputs: readonly FlagInput[]): Promise<void> {
  const sources = inputs.map(sourceOf)
  await getChallengeRow(deps.db, gameId, id)
  const names = await namesOf(deps, sources)
  const added = inputs.map(({ flag }, index) => ({ ...trimFlag({ flag }), file: fileOfAttachmentSource(sources[index], names) }))
  await editChallenge(deps, {
    gameId,
    id,
    change: (stored) => {
      if (!hasFlagList(stored.type)) throw new Problem('request.parameter')
      return replaceFlags(stored, [...stored.flags, ...added])
    },
  })
}

function ruleEntriesOf(flags: readonly FlagRow[]): FlagRuleEntry[] {
  return flags.filter(({ kind }) => kind !== 'Exact').map(({ id, flag, kind }) => ({ id, flag, kind }))
}

export async function listFlagRules({ db }: Pick<InstanceDeps, 'db'>, gameId: number, id: number): Promise<FlagRuleEntry[]> {
  await getChallengeRow(db, gameId, id)
  return ruleEntriesOf(await createChallengeRepository(db).listFlags([id]))
}

/**
 * Adds flags of any kind. Patterns are stored unchanged, and all other flags are trimmed.
 * @returns the patterns and case-insensitive flags
 * @throws Problem `flag.pattern`, `flag.rules`, `flag.rules-many`, `challenge.unknown`
 */
export async function addFlagRules(
  deps: InstanceDeps,
  gameId: number,
  id: number,
  rules: readonly FlagRule[],
): Promise<FlagRuleEntry[]> {
  for (const [index, rule] of rules.entries()) assertValidFlag(rule, `/${index}/flag`)
  await getChallengeRow(deps.db, gameId, id)
  const added = rules.map(trimFlag).map(({ flag, kind }) => ({ flag, file: null, ...(kind !== 'Exact' && { kind }) }))
  const { after } = await editChallenge(deps, {
    gameId,
    id,
    change: (stored) => {
      if (!hasSharedFlags(stored.type)) throw new Problem('flag.rules')
      const changed = replaceFlags(stored, [...stored.flags, ...added])
      const [fault] = findFlagRuleFaults(changed)
      if (fault) throwFault(fault)
      return changed
    },
  })
  return ruleEntriesOf(after.flags)
}

/**
 * Returns the flags that a given answer matches, for an organizer who tests the flags. Does not store the answer.
 * @throws Problem `challenge.unknown`, `flag.rules`, `flag.pattern`
 */
export async function findFlagsMatchingAnswer(
  { db }: Pick<InstanceDeps, 'db'>,
  gameId: number,
  id: number,
  { answer, draft }: FlagTrial,
): Promise<FlagTrialResult> {
  const challenge = await getChallengeRow(db, gameId, id)
  if (!hasSharedFlags(challenge.type)) throw new Problem('flag.rules')
  if (draft) assertValidFlag(draft, '/draft/flag')
  const given = answer.trim().toWellFormed()
  const flags = await createChallengeRepository(db).listFlags([id])
  return {
    matches: flags.filter((flag) => matchesFlagRule(flag, given)).map((flag) => flag.id),
    draftMatches: draft ? matchesFlagRule(trimFlag(draft), given) : null,
  }
}

/** Deletes a flag and its file. If no flag remains, the challenge is disabled. @throws Problem `challenge.unknown` */
export async function deleteFlag(
  deps: InstanceDeps,
  gameId: number,
  id: number,
  flagId: number,
): Promise<'Success' | 'NotFound'> {
  await getChallengeRow(deps.db, gameId, id)
  const { before } = await editChallenge(deps, {
    gameId,
    id,
    change: (stored) =>
      replaceFlags(
        stored,
        stored.flags.filter((flag) => flag.id !== flagId),
      ),
  })
  return before.flags.some((flag) => flag.id === flagId) ? 'Success' : 'NotFound'
}

/**
 * Sets the file that all teams get, or removes it if the type is None. The old file is released.
 * @throws Problem `challenge.unknown`, `challenge.attachment`, `request.parameter`, `file.unknown`
 */
export async function setAttachment(deps: InstanceDeps, gameId: number, id: number, input: AttachmentInput): Promise<void> {
  const source = sourceOf(input)
  await getChallengeRow(deps.db, gameId, id)
  const attachment = fileOfAttachmentSource(source, await namesOf(deps, [source]))
  await editChallenge(deps, {
    gameId,
    id,
    change: (stored) => {
      if (stored.type === 'DynamicAttachment') throw new Problem('challenge.attachment')
      return { ...stored, attachment }
    },
  })
}
