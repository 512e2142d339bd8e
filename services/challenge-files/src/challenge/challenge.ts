import {
  type Challenge,
  type ChallengeContainer,
  type ChallengeFileRef,
  defaultAttachmentName,
  defaultContainer,
  hasContainer,
  hasFlagList,
} from '@capstan/contract/challenge'

/** A challenge whose files are of another form, such as paths of an archive. */
export interface ChallengeOf<File> extends Omit<Challenge, 'attachment' | 'flags'> {
  attachment: File | null
  flags: FlagOf<File>[]
}

export interface FlagOf<File> extends Omit<Challenge['flags'][number], 'file'> {
  file: File | null
}

export type ChallengeFlag = FlagOf<ChallengeFileRef>

/** The container of a challenge: a list of exactly one for now. */
export function containerOf({ containers: [container = defaultContainer] }: Pick<Challenge, 'containers'>): ChallengeContainer {
  return container
}

/** The same challenge with its files in another form, one after the other. */
export async function withFiles<From, To>(
  challenge: ChallengeOf<From>,
  convert: (file: From) => To | Promise<To>,
): Promise<ChallengeOf<To>> {
  const flags: FlagOf<To>[] = []
  for (const { file, ...flag } of challenge.flags) flags.push({ ...flag, file: file && (await convert(file)) })
  return { ...challenge, flags, attachment: challenge.attachment && (await convert(challenge.attachment)) }
}

/** The same challenge with the defaults of all parts that its type does not use: two that mean the same are equal. */
export function withUsedParts<File>(challenge: ChallengeOf<File>): ChallengeOf<File> {
  const { type } = challenge
  return {
    ...challenge,
    ...(!hasFlagList(type) && { flags: [] }),
    ...(hasFlagList(type) && { template: '' }),
    ...(type === 'DynamicAttachment' ? { attachment: null } : { attachmentName: defaultAttachmentName }),
    ...(!hasContainer(type) && { containers: [defaultContainer] }),
  }
}
