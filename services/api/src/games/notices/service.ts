// Notices of a game. Rules: docs/contract/scoreboard-and-events.md#notices.
import type { GameNotice, NoticeType } from '@capstan/contract/games'
import { refuseOutsidePhase } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import type { Executor } from '@capstan/db/client'
import type { InstanceDeps } from '../../instances/deps.ts'
import { findFreezeInstant } from '../../server/players/frozen-since.ts'
import { type GameRow, timesOfGame } from '../editing/service.ts'
import { presentNotice } from './presenter.ts'
import { createNoticeRepository } from './repository.ts'

type Page = Readonly<{
  count: number
  skip: number
}>

async function lock(executor: Executor, gameId: number, id: number): Promise<NoticeType> {
  const notice = await createNoticeRepository(executor).lock(gameId, id)
  if (!notice) throw new Problem('notice.unknown')
  return notice.type
}

async function lockWritten(executor: Executor, gameId: number, id: number): Promise<void> {
  if ((await lock(executor, gameId, id)) !== 'Normal') throw new Problem('notice.generated')
}

async function insert(
  { clock }: Pick<InstanceDeps, 'clock'>,
  executor: Executor,
  notice: { gameId: number; type: NoticeType; values: string[]; challengeId?: number },
): Promise<GameNotice> {
  const publishedAt = clock.now()
  const id = await createNoticeRepository(executor).insert({ ...notice, publishedAt })
  return { id, time: publishedAt.toISOString(), type: notice.type, values: notice.values }
}

/**
 * Stores a notice about a challenge in the caller's transaction. After the commit, the caller pushes the notice with
 * `announceNotices`.
 */
export function insertGeneratedNotice(
  deps: Pick<InstanceDeps, 'clock'>,
  executor: Executor,
  gameId: number,
  type: 'NewChallenge' | 'NewHint',
  { id: challengeId, title }: Readonly<{ id: number; title: string }>,
): Promise<GameNotice> {
  return insert(deps, executor, { gameId, type, values: [title], challengeId })
}

export function announceNotices({ bus }: Pick<InstanceDeps, 'bus'>, gameId: number, list: readonly GameNotice[]): void {
  for (const payload of list) bus.publish({ kind: 'notice', gameId, payload })
}

/**
 * Stores a notice of an organizer. Pushes it only if the game has started, because every client can open the hub, but no client may
 * read notices before the start.
 */
export async function addWrittenNotice(
  deps: Pick<InstanceDeps, 'db' | 'bus' | 'clock'>,
  game: GameRow,
  content: string,
): Promise<GameNotice> {
  const { db, clock } = deps
  const notice = await insert(deps, db, { gameId: game.id, type: 'Normal', values: [content] })
  if (!refuseOutsidePhase('notices', timesOfGame(game), clock.now())) announceNotices(deps, game.id, [notice])
  return notice
}

export async function listNotices(
  { db, clock }: Pick<InstanceDeps, 'clock' | 'db'>,
  game: GameRow,
  page: Page,
): Promise<GameNotice[]> {
  const notices = createNoticeRepository(db)
  return (await notices.listPage(game.id, findFreezeInstant(game, clock.now()), page)).map(presentNotice)
}

export async function listBloodNotices({ db }: Pick<InstanceDeps, 'db'>, gameId: number, limit: number): Promise<GameNotice[]> {
  const notices = createNoticeRepository(db)
  return (await notices.listBloods(gameId, limit)).map(presentNotice)
}

export async function listWrittenNotices({ db }: Pick<InstanceDeps, 'db'>, gameId: number): Promise<GameNotice[]> {
  const notices = createNoticeRepository(db)
  return (await notices.listWritten(gameId)).map(presentNotice)
}

export async function listGeneratedNotices({ db }: Pick<InstanceDeps, 'db'>, gameId: number, page: Page): Promise<GameNotice[]> {
  const notices = createNoticeRepository(db)
  return (await notices.listGenerated(gameId, page)).map(presentNotice)
}

/** Replaces the text and sets the time to now. Sends no push. @throws Problem `notice.unknown`, `notice.generated` */
export function updateNotice(
  { db, clock }: Pick<InstanceDeps, 'clock' | 'db'>,
  gameId: number,
  id: number,
  content: string,
): Promise<GameNotice> {
  return db.transaction(async (transaction) => {
    await lockWritten(transaction, gameId, id)
    const publishedAt = clock.now()
    await createNoticeRepository(transaction).update(id, { values: [content], publishedAt })
    return { id, time: publishedAt.toISOString(), type: 'Normal', values: [content] }
  })
}

/** @throws Problem `notice.unknown`, `notice.generated` */
export function deleteNotice({ db }: Pick<InstanceDeps, 'db'>, gameId: number, id: number): Promise<void> {
  return db.transaction(async (transaction) => {
    await lockWritten(transaction, gameId, id)
    await createNoticeRepository(transaction).delete(id)
  })
}

/**
 * Deletes a generated notice.
 * @throws Problem `notice.unknown` if the notice does not exist, or if an organizer wrote the notice
 */
export function withdrawNotice({ db }: Pick<InstanceDeps, 'db'>, gameId: number, id: number): Promise<void> {
  return db.transaction(async (transaction) => {
    if ((await lock(transaction, gameId, id)) === 'Normal') throw new Problem('notice.unknown')
    await createNoticeRepository(transaction).delete(id)
  })
}
