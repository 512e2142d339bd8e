import { defaultAttachmentName } from '@capstan/contract/challenge-parts'
import type { ChallengeType } from '@capstan/contract/challenges'
import type { Hint } from '@capstan/contract/hints'
import { InputLimits, ScoreDefaults } from '@capstan/contract/limits'
import { type ChallengeFile, containersOf, type HintRule } from '../format/challenge.ts'
import type { Finding } from '../report.ts'
import { type FileTree, folderOf } from '../tree.ts'
import { type NamedChallenge, resetUnusedSettings, trimTexts } from './challenge.ts'
import { findChallengeFaults } from './faults.ts'
import { readContainers } from './read-containers.ts'
import { type AuthorEnvironment, note, noteMistake, type ReadContext } from './read-context.ts'
import { type DescribedImage, type GivenFile, readAttachment, readDescription } from './read-files.ts'
import { type EachTeamRule, hasOwnFile, isFlagRuleForEachTeam, isTemplate, readFlags } from './read-flags.ts'

/** Challenge as described by its `capstan.yaml`. Its files are not read yet: they are still in the tree. */
export type DescribedChallenge = NamedChallenge<GivenFile> &
  Readonly<{
    images: readonly DescribedImage[]
    /** Rule that generates a flag and a file for each team. */
    eachTeam?: EachTeamRule
  }>

/** Returns the type that the file states, or the type that its flags and container imply. */
export function challengeTypeOf({
  type,
  flags,
  ...file
}: Pick<ChallengeFile, 'type' | 'flags' | 'container' | 'containers'>): ChallengeType {
  if (type !== undefined) return type
  if (containersOf(file).length === 0) return flags.some(hasOwnFile) ? 'DynamicAttachment' : 'StaticAttachment'
  return flags.length === 0 || flags.some(isTemplate) ? 'DynamicContainer' : 'StaticContainer'
}

function hintOf(rule: HintRule): Hint {
  return typeof rule === 'string' ? { text: rule, price: 0 } : { text: rule.text, price: rule.price ?? rule.cost ?? 0 }
}

function unlockOf({ unlock }: ChallengeFile) {
  if (unlock === undefined) return null
  return { after: [], count: unlock.count ?? null, points: unlock.points ?? null, locked: unlock.locked ?? 'Shown' }
}

function readInstant(context: ReadContext, field: 'release' | 'deadline'): number | null {
  const text = context.described[field]
  if (text === undefined) return null
  const ms = Date.parse(text)
  if (ms >= 0 && ms <= InputLimits.maxInstantMs) return ms
  noteMistake(context, field, 'The time is before 1970 or after 9999.')
  return null
}

function readPrerequisites(context: ReadContext): string[] {
  const { name, unlock } = context.described
  const names = [...new Set(unlock?.after)]
  if (names.includes(name)) noteMistake(context, 'unlock.after', 'A challenge cannot be its own prerequisite.')
  return names.filter((each) => each !== name)
}

function noteAuthors(context: ReadContext): void {
  const { authors = [] } = context.described
  if (authors.length > 0)
    note(context, 'authors', 'left-out', 'The platform does not show authors.', 'Add them to the description.')
}

/**
 * Reads a challenge from its `capstan.yaml` and the files next to it.
 * @param file path of the `capstan.yaml`
 * @param author environment of the author who runs `capstan apply`. Undefined if the platform imports the file
 */
export function readDescribedChallenge(
  tree: FileTree,
  file: string,
  described: ChallengeFile,
  author?: AuthorEnvironment,
): DescribedChallenge & Readonly<{ findings: readonly Finding[] }> {
  const type = challengeTypeOf(described)
  const context: ReadContext = { tree, file, folder: folderOf(file), described, type, author, findings: [] }
  const { flags, template } = readFlags(context)
  const eachTeam = described.flags.find(isFlagRuleForEachTeam)
  const attachment = readAttachment(context, described.attachments ?? [], 'attachments')
  if (type === 'DynamicAttachment' && attachment.given !== null)
    noteMistake(context, 'attachments', 'Each flag has its own file here, so `attachments` must be empty.')
  const { description, images } = readDescription(context, attachment.links)
  noteAuthors(context)
  const challenge = resetUnusedSettings(
    trimTexts({
      title: described.title,
      category: described.category,
      type,
      tags: described.tags ?? [],
      difficulty: described.difficulty ?? null,
      enabled: described.enabled ?? false,
      description,
      points: described.score?.points ?? ScoreDefaults.points,
      minimumShare: described.score?.minimumShare ?? ScoreDefaults.minimumShare,
      decay: described.score?.difficulty ?? ScoreDefaults.decay,
      release: readInstant(context, 'release'),
      deadline: readInstant(context, 'deadline'),
      submissionLimit: described.attempts?.limit ?? 0,
      cooldownSeconds: described.attempts?.cooldownSeconds ?? 0,
      curve: described.score?.curve ?? 'exponential',
      isValueFixed: described.score?.fixed ?? false,
      bloods: described.bloods ?? true,
      unlock: unlockOf(described),
      hints: (described.hints ?? []).map(hintOf),
      flags,
      template,
      attachment: attachment.given,
      attachmentName: eachTeam?.as ?? described.attachmentName ?? defaultAttachmentName,
      containers: readContainers(context),
    }),
  )
  // The readers of flags and containers have already dropped the values that can be dropped. A fault that remains here refuses
  // the challenge.
  for (const { at, why } of findChallengeFaults({ ...challenge, enabled: false }))
    note(context, at === '/template' ? 'flags' : at.slice(1), 'refused', why)
  return {
    challenge,
    images,
    name: described.name,
    after: readPrerequisites(context),
    ...(eachTeam && { eachTeam }),
    findings: context.findings,
  }
}
