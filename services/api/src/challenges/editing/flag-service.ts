// Flags and attachments of a challenge. Rules: docs/contract/challenges.md#flags-and-files, docs/contract/files.md.
import { hasFlagList, hasSharedFlags } from '@capstan/contract/challenge'
import type { FlagInput, FlagRule, FlagRuleEntry, FlagTrial, FlagTrialResult } from '@capstan/contract/challenges'
import type { AttachmentInput } from '@capstan/contract/files'
import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { Executor } from '@capstan/db/client'
import type { InstanceDeps } from '../../instances/deps.ts'
import { announceEndings, endInstances } from '../../instances/lifecycle/endings.ts'
import { refusePattern } from '../../rules/flags/pattern.ts'
import { matchesRule } from '../../rules/flags/rules.ts'
import { confirmFileUses, releaseFiles, sweepFiles } from '../../server/files/service.ts'
import { type AttachmentSource, attachmentSourceOf } from './policy.ts'
import { type ChallengeRow, challengeRepository } from './repository.ts'

function sourceOf(input: AttachmentInput): AttachmentSource | undefined {
  const source = attachmentSourceOf(input)
  if (typeof source === 'string') throw new Problem(source)
  return source
}

/**
 * Checks that a pattern is valid and that a text is not longer than flags may be.
 * @throws Problem `flag.pattern`, `request.invalid`
 */
export function checkFlag({ flag, kind }: FlagRule, path: string): void {
  const refusal = kind === 'Pattern' ? refusePattern(flag) : undefined
  if (refusal !== undefined) throw new Problem('flag.pattern', { detail: refusal })
  if (kind !== 'Pattern' && ([...flag].length > Limits.flagMaxLength || flag.trim() === ''))
    throw new Problem('request.invalid', { detail: path })
}

async function lock(executor: Executor, gameId: number, id: number): Promise<ChallengeRow> {
  const challenge = await challengeRepository(executor).lock(gameId, id)
  if (!challenge) throw new Problem('challenge.unknown')
  return challenge
}

/** Stores one attachment per source and links it to its file. @returns their ids in order */
async function insertAttachments(executor: Executor, sources: readonly AttachmentSource[]): Promise<number[]> {
  const repository = challengeRepository(executor)
  const ids = await repository.insertAttachments(sources)
  const hashes = sources.flatMap((source) => (source.type === 'Local' ? [source.fileHash] : []))
  await confirmFileUses(executor, hashes)
  await repository.nameAttachments(ids)
  return ids
}

/**
 * Adds flags, each with its file if it has one.
 * @throws Problem `challenge.unknown`, `request.parameter` (also for DynamicContainer, which has no list of flags),
 * `file.unknown`
 */
export async function addFlags(
  { db }: Pick<InstanceDeps, 'db'>,
  gameId: number,
  id: number,
  inputs: readonly FlagInput[],
): Promise<void> {
  const sources = inputs.map(sourceOf)
  await db.transaction(async (transaction) => {
    const challenge = await lock(transaction, gameId, id)
    if (!hasFlagList(challenge.type)) throw new Problem('request.parameter')
    const given = sources.filter((source) => source !== undefined)
    const attachmentIds = (await insertAttachments(transaction, given)).values()
    const rows = inputs.map(({ flag }, index) => ({
      challengeId: id,
      flag: flag.trim(),
      attachmentId: sources[index] === undefined ? null : (attachmentIds.next().value ?? null),
    }))
    await challengeRepository(transaction).insertFlags(rows)
  })
}

/** Lists patterns and case-insensitive flags. @throws Problem `challenge.unknown` */
export async function listFlagRules({ db }: Pick<InstanceDeps, 'db'>, gameId: number, id: number): Promise<FlagRuleEntry[]> {
  const repository = challengeRepository(db)
  if (!(await repository.find(gameId, id))) throw new Problem('challenge.unknown')
  return (await repository.listRules(id)).filter(({ kind }) => kind !== 'Exact')
}

/**
 * Adds flags of any kind. A text is trimmed, and a pattern is stored unchanged.
 * @returns the patterns and case-insensitive flags
 * @throws Problem `flag.pattern`, `flag.rules`, `flag.rules-many`, `challenge.unknown`
 */
export async function addFlagRules(
  { db }: Pick<InstanceDeps, 'db'>,
  gameId: number,
  id: number,
  rules: readonly FlagRule[],
): Promise<FlagRuleEntry[]> {
  for (const [index, rule] of rules.entries()) checkFlag(rule, `/${index}/flag`)
  const entries = await db.transaction(async (transaction) => {
    const challenge = await lock(transaction, gameId, id)
    if (!hasSharedFlags(challenge.type)) throw new Problem('flag.rules')
    const repository = challengeRepository(transaction)
    const rows = rules.map(({ flag, kind }) => ({ challengeId: id, flag: kind === 'Pattern' ? flag : flag.trim(), kind }))
    await repository.insertFlags(rows)
    const kept = (await repository.listRules(id)).filter(({ kind }) => kind !== 'Exact')
    if (kept.length > Limits.flagRulesMax) throw new Problem('flag.rules-many')
    return kept
  })
  return entries
}

/**
 * Returns the flags that an answer matches, without storing anything.
 * @throws Problem `challenge.unknown`, `flag.rules`, `flag.pattern`
 */
export async function tryFlag(
  { db }: Pick<InstanceDeps, 'db'>,
  gameId: number,
  id: number,
  { answer, draft }: FlagTrial,
): Promise<FlagTrialResult> {
  const repository = challengeRepository(db)
  const challenge = await repository.find(gameId, id)
  if (!challenge) throw new Problem('challenge.unknown')
  if (!hasSharedFlags(challenge.type)) throw new Problem('flag.rules')
  if (draft) checkFlag(draft, '/draft/flag')
  const given = answer.trim().toWellFormed()
  const flags = await repository.listRules(id)
  return {
    matches: flags.filter((flag) => matchesRule(flag, given)).map((flag) => flag.id),
    draftMatches: draft ? matchesRule(draft.kind === 'Pattern' ? draft : { ...draft, flag: draft.flag.trim() }, given) : null,
  }
}

/** Deletes a flag and its file. A challenge without any flag is disabled. @throws Problem `challenge.unknown` */
export async function deleteFlag(
  deps: InstanceDeps,
  gameId: number,
  id: number,
  flagId: number,
): Promise<'Success' | 'NotFound'> {
  const { db } = deps
  const left = await db.transaction(async (transaction) => {
    const repository = challengeRepository(transaction)
    const challenge = await lock(transaction, gameId, id)
    const flag = await repository.deleteFlag(id, flagId)
    if (!flag) return undefined
    const hashes = flag.attachmentId === null ? [] : await repository.deleteAttachments([flag.attachmentId])
    await releaseFiles(transaction, hashes)
    const isOver = challenge.isEnabled && hasFlagList(challenge.type) && (await repository.countFlags(id)) === 0
    if (isOver) await repository.update(id, { isEnabled: false })
    const ended = isOver ? await endInstances(deps, transaction, { challengeId: id, teamsOnly: true }) : []
    return { hashes, ended }
  })
  if (!left) return 'NotFound'
  await announceEndings(deps, left.ended)
  await sweepFiles(deps, left.hashes)
  return 'Success'
}

/**
 * Sets the common file of all teams, or removes it for type None. The old file is released.
 * @throws Problem `challenge.unknown`, `challenge.attachment`, `request.parameter`, `file.unknown`
 */
export async function setAttachment(
  deps: Pick<InstanceDeps, 'blobs' | 'db'>,
  gameId: number,
  id: number,
  input: AttachmentInput,
): Promise<void> {
  const { db } = deps
  const source = sourceOf(input)
  const hashes = await db.transaction(async (transaction) => {
    const repository = challengeRepository(transaction)
    const challenge = await lock(transaction, gameId, id)
    if (challenge.type === 'DynamicAttachment') throw new Problem('challenge.attachment')
    // Insert before the release: the old attachment may be the last other reference to the same file.
    const [attachmentId] = source ? await insertAttachments(transaction, [source]) : []
    await repository.update(id, { attachmentId: attachmentId ?? null })
    const replaced = challenge.attachmentId === null ? [] : await repository.deleteAttachments([challenge.attachmentId])
    await releaseFiles(transaction, replaced)
    return replaced
  })
  await sweepFiles(deps, hashes)
}
