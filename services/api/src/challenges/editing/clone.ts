// Copies what organizers created in games and challenges, without data of teams. Each copy is one transaction.
// Rules: docs/contract/games-and-joining.md#editing-games, docs/contract/challenges.md#editing.
import type { ChallengeEdit } from '@capstan/contract/challenges'
import type { GameClone } from '@capstan/contract/games'
import { Problem } from '@capstan/contract/problems'
import type { Executor } from '@capstan/db/client'
import { copyGame, type GameWithDivisions, shareGame } from '../../games/editing/service.ts'
import type { InstanceDeps } from '../../instances/deps.ts'
import { confirmFileUses } from '../../server/files/service.ts'
import { type AttachmentRow, type ChallengeRow, challengeRepository } from './repository.ts'
import { getChallenge } from './service.ts'

/** Returns the columns of a challenge to copy, without id, solves and attachment. */
function copyableColumns({ id: _id, acceptedCount: _count, attachmentId: _attachment, ...values }: ChallengeRow) {
  return values
}

/** Returns the source of an attachment. The copy refers to the same stored file. */
function sameSource({ type, fileHash, fileName, remoteUrl }: AttachmentRow) {
  return { type, fileHash, fileName, remoteUrl }
}

/** @returns the id of the copy, and the hashes of its files */
async function copyChallenge(executor: Executor, source: ChallengeRow, values: Partial<ChallengeRow>) {
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

/**
 * Creates a hidden copy of a game with the same duration and writeup period. Notices are not copied, since they are about
 * events of the first game.
 * @throws Problem `game.unknown`, `game.times`
 */
export function cloneGame(deps: Pick<InstanceDeps, 'config' | 'db'>, id: number, clone: GameClone): Promise<GameWithDivisions> {
  const { db } = deps
  return db.transaction(async (transaction) => {
    const made = await copyGame(deps, transaction, id, clone)
    const hashes = made.game.posterHash === null ? [] : [made.game.posterHash]
    for (const source of await challengeRepository(transaction).list(id)) {
      const copy = await copyChallenge(transaction, source, { gameId: made.game.id })
      hashes.push(...copy.hashes)
    }
    await confirmFileUses(transaction, hashes)
    return made
  })
}

/** Creates a disabled copy of a challenge in the same game. @throws Problem `challenge.unknown` */
export async function cloneChallenge(
  deps: Pick<InstanceDeps, 'config' | 'db' | 'runtime'>,
  gameId: number,
  id: number,
  title: string,
): Promise<ChallengeEdit> {
  const { db } = deps
  const copied = await db.transaction(async (transaction) => {
    await shareGame(transaction, gameId)
    const source = await challengeRepository(transaction).lock(gameId, id)
    if (!source) throw new Problem('challenge.unknown')
    const copy = await copyChallenge(transaction, source, { title: title.trim(), isEnabled: false })
    await confirmFileUses(transaction, copy.hashes)
    return copy.id
  })
  return getChallenge(deps, gameId, copied)
}
