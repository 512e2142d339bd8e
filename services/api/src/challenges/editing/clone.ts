import type { ChallengeEdit } from '@capstan/contract/challenges'
import type { GameClone } from '@capstan/contract/games'
import { Problem } from '@capstan/contract/problems'
import type { Executor } from '@capstan/db/client'
import { createGameService, type GameWithDivisions } from '../../games/editing/service.ts'
import type { InstanceDeps } from '../../instances/deps.ts'
import { createFileService } from '../../server/files/service.ts'
import { type AttachmentRow, type ChallengeRow, challengeRepository } from './repository.ts'
import { createChallengeService } from './service.ts'

/** Returns the columns of a challenge to copy, without id, solves and attachment. */
function copyableColumns({ id: _id, acceptedCount: _count, attachmentId: _attachment, ...values }: ChallengeRow) {
  return values
}

/** Returns the source of an attachment. The copy refers to the same stored file. */
function sameSource({ type, fileHash, fileName, remoteUrl }: AttachmentRow) {
  return { type, fileHash, fileName, remoteUrl }
}

/**
 * Copies what organizers created in games and challenges, without data of teams. Each copy is one transaction.
 * Rules: docs/contract/games-and-joining.md#editing-games, docs/contract/challenges.md#editing.
 */
export function createCloneService(deps: InstanceDeps) {
  const { db } = deps
  const games = createGameService(deps)
  const challenges = createChallengeService(deps)
  const files = createFileService(deps)

  /** @returns the id of the copy, and the hashes of its files */
  const copyChallenge = async (executor: Executor, source: ChallengeRow, values: Partial<ChallengeRow>) => {
    const repository = challengeRepository(executor)
    const attachment = source.attachmentId === null ? undefined : await repository.findAttachment(source.attachmentId)
    const flags = await repository.listFlags(source.id)
    const attachments = flags.flatMap((flag) => flag.attachment ?? [])
    const [own] = attachment ? await repository.insertAttachments([sameSource(attachment)]) : []
    const copy = await repository.insert({ ...copyableColumns(source), ...values, attachmentId: own ?? null })
    const ids = (await repository.insertAttachments(attachments.map(sameSource))).values()
    await repository.insertFlags(
      flags.map(({ flag, kind, attachment: file }) => ({
        challengeId: copy.id,
        flag,
        kind,
        attachmentId: file ? (ids.next().value ?? null) : null,
      })),
    )
    const hashes = [attachment, ...attachments].flatMap((file) => file?.fileHash ?? [])
    return { id: copy.id, hashes }
  }

  return {
    /**
     * Creates a hidden copy of a game with the same duration and writeup period. Notices are not copied, since they are about
     * events of the first game.
     * @throws Problem `game.unknown`, `game.times`
     */
    cloneGame: (id: number, clone: GameClone): Promise<GameWithDivisions> =>
      db.transaction(async (transaction) => {
        const made = await games.copy(transaction, id, clone)
        const hashes = made.game.posterHash === null ? [] : [made.game.posterHash]
        for (const source of await challengeRepository(transaction).list(id)) {
          const copy = await copyChallenge(transaction, source, { gameId: made.game.id })
          hashes.push(...copy.hashes)
        }
        await files.confirmUses(transaction, hashes)
        return made
      }),

    /** Creates a disabled copy of a challenge in the same game. @throws Problem `challenge.unknown` */
    async cloneChallenge(gameId: number, id: number, title: string): Promise<ChallengeEdit> {
      const copied = await db.transaction(async (transaction) => {
        await games.share(transaction, gameId)
        const source = await challengeRepository(transaction).lock(gameId, id)
        if (!source) throw new Problem('challenge.unknown')
        const copy = await copyChallenge(transaction, source, { title: title.trim(), isEnabled: false })
        await files.confirmUses(transaction, copy.hashes)
        return copy.id
      })
      return challenges.get(gameId, copied)
    },
  }
}
