import type { Challenge } from '@capstan/contract/challenge'
import type { Executor } from '@capstan/db/client'
import { type ChallengeRow, challengeRepository } from './repository.ts'
import { attachmentValuesOf, challengeOfRows, columnsOf } from './rows.ts'

/** A challenge of a game with its id. */
export type NumberedChallenge = Readonly<{
  id: number
  challenge: Challenge
}>

/** Reads and writes complete challenges for export and import. Rules: docs/contract/challenges.md#import-and-export. */
export const challengeExchange = {
  /** Inserts disabled challenges. The caller has stored their files, counts the uses, and has locked the game. */
  async insert(executor: Executor, gameId: number, challenges: readonly Challenge[]): Promise<ChallengeRow[]> {
    const repository = challengeRepository(executor)
    const written: ChallengeRow[] = []
    for (const challenge of challenges) {
      const { attachment, flags } = challenge
      const [attachmentId] = attachment === null ? [] : await repository.insertAttachments([attachmentValuesOf(attachment)])
      const values = { ...columnsOf(challenge), gameId, isEnabled: false, attachmentId: attachmentId ?? null }
      const row = await repository.insert(values)
      const files = flags.flatMap(({ file }) => (file === null ? [] : [attachmentValuesOf(file)]))
      const ids = (await repository.insertAttachments(files)).values()
      await repository.insertFlags(
        flags.map(({ flag, kind = 'Exact', file }) => ({
          challengeId: row.id,
          flag,
          kind,
          attachmentId: file === null ? null : (ids.next().value ?? null),
        })),
      )
      written.push(row)
    }
    return written
  },

  async titles(executor: Executor, gameId: number): Promise<Set<string>> {
    return new Set((await challengeRepository(executor).list(gameId)).map(({ title }) => title))
  },

  /** Lists all challenges of a game by id. */
  async list(executor: Executor, gameId: number): Promise<NumberedChallenge[]> {
    const repository = challengeRepository(executor)
    const listed: NumberedChallenge[] = []
    for (const challenge of await repository.list(gameId)) {
      const attachment = challenge.attachmentId === null ? undefined : await repository.findAttachment(challenge.attachmentId)
      const flags = await repository.listFlags(challenge.id)
      listed.push({ id: challenge.id, challenge: challengeOfRows({ challenge, attachment, flags }) })
    }
    return listed
  },
}
