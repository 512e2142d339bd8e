import type { Challenge, ChallengeFileRef } from '@capstan/contract/challenge'
import { defaultAttachmentName, defaultContainer } from '@capstan/contract/challenge-parts'
import { hasContainer, hasFlagList, hasSharedFlags } from '@capstan/contract/challenge-types'
import type { ChallengeCategory, ChallengeType } from '@capstan/contract/challenges'
import { ScoreDefaults } from '@capstan/contract/limits'
import type { ChallengeReach } from '@capstan/contract/reach'
import { normalizeTags } from '@capstan/contract/tags'

/** Challenge that represents files by another type, such as paths in an archive. */
export interface ChallengeOf<File> extends Omit<Challenge, 'attachment' | 'flags'> {
  attachment: File | null
  flags: FlagOf<File>[]
}

export interface FlagOf<File> extends Omit<Challenge['flags'][number], 'file'> {
  file: File | null
}

export type ChallengeFlag = FlagOf<ChallengeFileRef>

/** Challenge that refers to its prerequisites by name. */
export type NamedChallenge<File> = Readonly<{
  challenge: ChallengeOf<File>
  name: string
  /** Names of the prerequisites. `challenge` does not contain the ids of the prerequisites yet. */
  after: readonly string[]
}>

/** Returns a disabled challenge with default settings. */
export function createDefaultChallenge(title: string, category: ChallengeCategory, type: ChallengeType): Challenge {
  return {
    title,
    category,
    type,
    tags: [],
    difficulty: null,
    enabled: false,
    description: '',
    ...ScoreDefaults,
    release: null,
    deadline: null,
    submissionLimit: 0,
    cooldownSeconds: 0,
    curve: 'exponential',
    isValueFixed: false,
    bloods: true,
    unlock: null,
    hints: [],
    flags: [],
    template: '',
    attachment: null,
    attachmentName: defaultAttachmentName,
    containers: [defaultContainer],
  }
}

/** Returns a copy of a challenge in which `convert` has converted each file, one after another. */
export async function convertFiles<From, To>(
  challenge: ChallengeOf<From>,
  convert: (file: From) => To | Promise<To>,
): Promise<ChallengeOf<To>> {
  const flags: FlagOf<To>[] = []
  for (const { file, ...flag } of challenge.flags) flags.push({ ...flag, file: file && (await convert(file)) })
  return { ...challenge, flags, attachment: challenge.attachment && (await convert(challenge.attachment)) }
}

/**
 * Returns a flag without spaces at its start and end. A pattern retains its spaces, because spaces have a meaning in a pattern.
 */
export function trimFlag<Flag extends Pick<FlagOf<unknown>, 'flag' | 'kind'>>(flag: Flag): Flag {
  return flag.kind === 'Pattern' ? flag : { ...flag, flag: flag.flag.trim() }
}

/** Trims the texts of a challenge, and normalizes its tags. */
export function trimTexts<File>(challenge: ChallengeOf<File>): ChallengeOf<File> {
  return {
    ...challenge,
    title: challenge.title.trim(),
    tags: normalizeTags(challenge.tags),
    template: challenge.template.trim(),
    attachmentName: challenge.attachmentName.trim(),
    flags: challenge.flags.map(trimFlag),
    containers: challenge.containers.map((container) => ({ ...container, image: container.image.trim() })),
  }
}

/** Normalizes the settings that define how players connect to a challenge, so that equal settings compare as equal. */
export function normalizeChallengeReach({ speaks, isRaw, hasOwnCertificate, isGuarded }: ChallengeReach): ChallengeReach {
  return { speaks, isRaw, hasOwnCertificate, ...(isGuarded === true && { isGuarded }) }
}

/** Resets the settings that the type of a challenge does not use, so that equal challenges compare as equal. */
export function resetUnusedSettings<File>(challenge: ChallengeOf<File>): ChallengeOf<File> {
  const { type } = challenge
  return {
    ...challenge,
    ...(!hasSharedFlags(type) && { flags: challenge.flags.map(({ points: _, ...flag }) => flag) }),
    ...(!hasFlagList(type) && { flags: [] }),
    ...(hasFlagList(type) && { template: '' }),
    ...(type === 'DynamicAttachment' ? { attachment: null } : { attachmentName: defaultAttachmentName }),
    ...(!hasContainer(type) && { containers: [defaultContainer] }),
  }
}
