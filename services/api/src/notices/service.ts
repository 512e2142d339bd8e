import type { GameNotice, NoticeType } from '@capstan/contract/games'
import { Problem } from '@capstan/contract/problems'
import type { Executor } from '@capstan/db/client'
import type { AppDeps } from '../app-types.ts'
import { presentNotice } from './presenter.ts'
import { noticeRepository } from './repository.ts'

/** Announcements of a game. Rules: docs/contract/scoreboard-and-events.md#notices. */
export const createNoticeService = ({ db, bus, clock }: Pick<AppDeps, 'db' | 'bus' | 'clock'>) => {
  const notices = noticeRepository(db)
  const lockWritten = async (executor: Executor, gameId: number, id: number) => {
    const notice = await noticeRepository(executor).lock(gameId, id)
    if (!notice) throw new Problem('notice.unknown')
    if (notice.type !== 'Normal') throw new Problem('notice.generated')
  }
  const service = {
    /** Writes a notice in the caller's transaction; push it with `announce` after the commit. */
    async insert(executor: Executor, gameId: number, type: NoticeType, values: string[]): Promise<GameNotice> {
      return presentNotice(await noticeRepository(executor).insert({ gameId, type, values, publishedAt: clock.now() }))
    },
    /** Pushes notices to `/hub/user` of the game. */
    async announce(gameId: number, list: readonly GameNotice[]): Promise<void> {
      for (const payload of list) await bus.publish({ kind: 'notice', gameId, payload })
    },
    async add(gameId: number, content: string): Promise<GameNotice> {
      const notice = await service.insert(db, gameId, 'Normal', [content])
      await service.announce(gameId, [notice])
      return notice
    },
    async list(gameId: number, page: { count: number; skip: number }): Promise<GameNotice[]> {
      return (await notices.listPage(gameId, page)).map(presentNotice)
    },
    async listWritten(gameId: number): Promise<GameNotice[]> {
      return (await notices.listWritten(gameId)).map(presentNotice)
    },
    /** Replaces the text; the time becomes now. Not pushed. @throws Problem `notice.unknown`, `notice.generated` */
    update: (gameId: number, id: number, content: string): Promise<GameNotice> =>
      db.transaction(async (transaction) => {
        await lockWritten(transaction, gameId, id)
        return presentNotice(await noticeRepository(transaction).update(id, { values: [content], publishedAt: clock.now() }))
      }),
    /** @throws Problem `notice.unknown`, `notice.generated` */
    delete: (gameId: number, id: number): Promise<void> =>
      db.transaction(async (transaction) => {
        await lockWritten(transaction, gameId, id)
        await noticeRepository(transaction).delete(id)
      }),
  }
  return service
}

export type NoticeService = ReturnType<typeof createNoticeService>
