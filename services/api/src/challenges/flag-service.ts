import type { FlagInput } from '@capstan/contract/challenges'
import type { AttachmentInput } from '@capstan/contract/files'
import { Problem } from '@capstan/contract/problems'
import type { Executor } from '@capstan/db/client'
import { createFileService } from '../files/service.ts'
import type { GameServiceDeps } from '../games/service.ts'
import { createInstanceEndings } from '../instances/endings.ts'
import { type AttachmentSource, attachmentSourceOf, hasFlagList } from './policy.ts'
import { type ChallengeRow, challengeRepository } from './repository.ts'

const sourceOf = (input: AttachmentInput): AttachmentSource | undefined => {
  const source = attachmentSourceOf(input)
  if (typeof source === 'string') throw new Problem(source)
  return source
}

/** Flags and files of a challenge. Rules: docs/contract/challenges.md#flags-and-files, docs/contract/files.md. */
export const createFlagService = (deps: GameServiceDeps) => {
  const { db, scoreboards } = deps
  const files = createFileService(deps)
  const endings = createInstanceEndings(deps)

  const lock = async (executor: Executor, gameId: number, id: number): Promise<ChallengeRow> => {
    const challenge = await challengeRepository(executor).lock(gameId, id)
    if (!challenge) throw new Problem('challenge.unknown')
    return challenge
  }

  /** Stores one attachment per source and lets it refer to its file. @returns their ids in order */
  const insertAttachments = async (executor: Executor, sources: readonly AttachmentSource[]): Promise<number[]> => {
    const repository = challengeRepository(executor)
    const ids = await repository.insertAttachments(sources)
    const hashes = sources.flatMap((source) => (source.type === 'Local' ? [source.fileHash] : []))
    await files.confirmUses(executor, hashes)
    await repository.nameAttachments(ids)
    return ids
  }

  return {
    /**
     * Adds flags, each with its own file if it brings one.
     * @throws Problem `challenge.unknown`, `request.parameter` (also for DynamicContainer, which has no list), `file.unknown`
     */
    async add(gameId: number, id: number, inputs: readonly FlagInput[]): Promise<void> {
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
      scoreboards.markStale(gameId)
    },

    /** Deletes a flag and its file; without its last flag a challenge is disabled. @throws Problem `challenge.unknown` */
    async delete(gameId: number, id: number, flagId: number): Promise<'Success' | 'NotFound'> {
      const left = await db.transaction(async (transaction) => {
        const repository = challengeRepository(transaction)
        const challenge = await lock(transaction, gameId, id)
        const flag = await repository.deleteFlag(id, flagId)
        if (!flag) return undefined
        const hashes = flag.attachmentId === null ? [] : await repository.deleteAttachments([flag.attachmentId])
        await files.release(transaction, hashes)
        const isOver = challenge.isEnabled && hasFlagList(challenge.type) && (await repository.countFlags(id)) === 0
        if (isOver) await repository.update(id, { isEnabled: false })
        const ended = isOver ? await endings.end(transaction, { challengeId: id, teamsOnly: true }) : []
        return { hashes, ended }
      })
      if (!left) return 'NotFound'
      scoreboards.markStale(gameId)
      await endings.announce(left.ended)
      await files.sweep(left.hashes)
      return 'Success'
    },

    /**
     * Sets or, with type None, removes the file that all teams get; the old one is released.
     * @throws Problem `challenge.unknown`, `challenge.attachment`, `request.parameter`, `file.unknown`
     */
    async setAttachment(gameId: number, id: number, input: AttachmentInput): Promise<void> {
      const source = sourceOf(input)
      const hashes = await db.transaction(async (transaction) => {
        const repository = challengeRepository(transaction)
        const challenge = await lock(transaction, gameId, id)
        if (challenge.type === 'DynamicAttachment') throw new Problem('challenge.attachment')
        // The new use first: the old one may be the only other of the same file.
        const [attachmentId] = source ? await insertAttachments(transaction, [source]) : []
        await repository.update(id, { attachmentId: attachmentId ?? null })
        const replaced = challenge.attachmentId === null ? [] : await repository.deleteAttachments([challenge.attachmentId])
        await files.release(transaction, replaced)
        return replaced
      })
      scoreboards.markStale(gameId)
      await files.sweep(hashes)
    },
  }
}

export type FlagService = ReturnType<typeof createFlagService>
