import type { ChallengeEdit } from '@capstan/contract/challenges'
import type { GameClone } from '@capstan/contract/games'
import { Problem } from '@capstan/contract/problems'
import type { Executor } from '@capstan/db/client'
import { createGameService, type GameWithDivisions } from '../../games/editing/service.ts'
import type { InstanceDeps } from '../../instances/deps.ts'
import { createFileService } from '../../server/files/service.ts'
import { type AttachmentRow, type ChallengeRow, challengeRepository } from './repository.ts'
import { createChallengeService } from './service.ts'

/** What a copy starts without: its id, its solves, and its file, which gets a row of its own. */
function withoutPast({ id: _id, acceptedCount: _count, attachmentId: _attachment, ...values }: ChallengeRow) {
  return values
}

/** The same content under another id: files are stored once, by their hash. */
function sameSource({ type, fileHash, fileName, remoteUrl }: AttachmentRow) {
  return { type, fileHash, fileName, remoteUrl }
}

/**
 * Copies of games and challenges: what organizers made, nothing that teams did. Each in one transaction.
 * Rules: docs/contract/games-and-joining.md#editing-games, docs/contract/challenges.md#editing.
 */
export function createCloneService(deps: InstanceDeps) {
  const { db } = deps
  const games = createGameService(deps)
  const challenges = createChallengeService(deps)
  const files = createFileService(deps)

  /** @returns the id of the copy, and the hashes of the files that it refers to */
  const copyChallenge = async (executor: Executor, source: ChallengeRow, values: Partial<ChallengeRow>) => {
    const repository = challengeRepository(executor)
    const attachment = source.attachmentId === null ? undefined : await repository.findAttachment(source.attachmentId)
    const flags = await repository.listFlags(source.id)
    const attachments = flags.flatMap((flag) => flag.attachment ?? [])
    const [own] = attachment ? await repository.insertAttachments([sameSource(attachment)]) : []
    const copy = await repository.insert({ ...withoutPast(source), ...values, attachmentId: own ?? null })
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
     * A hidden game with all that organizers made of another one but its notices, which told of what happened there. Its length and
     * the time for writeups stay.
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

    /** A disabled challenge of the same game. @throws Problem `challenge.unknown` */
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
