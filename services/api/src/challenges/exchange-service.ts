import type { FlagKind } from '@capstan/contract/challenges'
import type { Executor } from '@capstan/db/client'
import { type AttachmentRow, type ChallengeRow, type ChallengeValues, challengeRepository, type FlagRow } from './repository.ts'

/** A file or an address that a challenge or a flag hands out; content is stored already. */
export type GivenAttachment =
  | { readonly type: 'Local'; readonly fileHash: string; readonly fileName: string }
  | { readonly type: 'Remote'; readonly remoteUrl: string }

/** A whole challenge, as it is brought from elsewhere. */
export interface WholeChallenge {
  readonly values: Omit<ChallengeValues, 'gameId' | 'id' | 'isEnabled' | 'attachmentId'> &
    Required<Pick<ChallengeRow, 'title' | 'category' | 'type'>>
  readonly attachment?: GivenAttachment
  readonly flags: readonly { readonly flag: string; readonly kind?: FlagKind; readonly attachment?: GivenAttachment }[]
}

/** A challenge with all that stands beside it. */
export interface StoredChallenge {
  readonly challenge: ChallengeRow
  readonly attachment: AttachmentRow | undefined
  readonly flags: readonly FlagRow[]
}

/** Whole challenges, to bring them into a game and out of it. Rules: docs/contract/challenges.md#import-and-export. */
export const challengeExchange = {
  /** Writes disabled challenges; the caller has locked their game and counts the uses of their files. */
  async insert(executor: Executor, gameId: number, challenges: readonly WholeChallenge[]): Promise<ChallengeRow[]> {
    const repository = challengeRepository(executor)
    const written: ChallengeRow[] = []
    for (const { values, attachment, flags } of challenges) {
      const [attachmentId] = attachment === undefined ? [] : await repository.insertAttachments([attachment])
      const challenge = await repository.insert({ ...values, gameId, isEnabled: false, attachmentId: attachmentId ?? null })
      const given = flags.flatMap((each) => (each.attachment === undefined ? [] : [each.attachment]))
      const ids = (await repository.insertAttachments(given)).values()
      await repository.insertFlags(
        flags.map(({ flag, kind, attachment: own }) => ({
          challengeId: challenge.id,
          flag,
          ...(kind === undefined ? {} : { kind }),
          attachmentId: own === undefined ? null : (ids.next().value ?? null),
        })),
      )
      written.push(challenge)
    }
    return written
  },

  async titles(executor: Executor, gameId: number): Promise<Set<string>> {
    return new Set((await challengeRepository(executor).list(gameId)).map(({ title }) => title))
  },

  /** All challenges of a game by id. */
  async list(executor: Executor, gameId: number): Promise<StoredChallenge[]> {
    const repository = challengeRepository(executor)
    const stored: StoredChallenge[] = []
    for (const challenge of await repository.list(gameId)) {
      const attachment = challenge.attachmentId === null ? undefined : await repository.findAttachment(challenge.attachmentId)
      const flags = challenge.type === 'DynamicContainer' ? [] : await repository.listFlags(challenge.id)
      stored.push({ challenge, attachment, flags })
    }
    return stored
  },
}
