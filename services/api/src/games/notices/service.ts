import type { GameNotice, NoticeType } from '@capstan/contract/games'
import { Problem } from '@capstan/contract/problems'
import type { Executor } from '@capstan/db/client'
import type { InstanceDeps } from '../../instances/deps.ts'
import { presentNotice } from './presenter.ts'
import { noticeRepository } from './repository.ts'

type Page = Readonly<{
  count: number
  skip: number
}>

/** Notices of a game. Rules: docs/contract/scoreboard-and-events.md#notices. */
export function createNoticeService({ db, bus, clock }: Pick<InstanceDeps, 'db' | 'bus' | 'clock'>) {
  const notices = noticeRepository(db)
  const lock = async (executor: Executor, gameId: number, id: number): Promise<NoticeType> => {
    const notice = await noticeRepository(executor).lock(gameId, id)
    if (!notice) throw new Problem('notice.unknown')
    return notice.type
  }
  const lockWritten = async (executor: Executor, gameId: number, id: number): Promise<void> => {
    if ((await lock(executor, gameId, id)) !== 'Normal') throw new Problem('notice.generated')
  }
  const insert = async (
    executor: Executor,
    notice: { gameId: number; type: NoticeType; values: string[]; challengeId?: number },
  ): Promise<GameNotice> => {
    const publishedAt = clock.now()
    const id = await noticeRepository(executor).insert({ ...notice, publishedAt })
    return { id, time: publishedAt.toISOString(), type: notice.type, values: notice.values }
  }
  const service = {
    /** Writes a notice about a challenge in the caller's transaction. Push it with `announce` after the commit. */
    insertGenerated: (
      executor: Executor,
      gameId: number,
      type: 'NewChallenge' | 'NewHint',
      { id: challengeId, title }: { readonly id: number; readonly title: string },
    ): Promise<GameNotice> => insert(executor, { gameId, type, values: [title], challengeId }),
    /** Pushes notices to `/hub/user` clients of the game. */
    async announce(gameId: number, list: readonly GameNotice[]): Promise<void> {
      for (const payload of list) await bus.publish({ kind: 'notice', gameId, payload })
    },
    async add(gameId: number, content: string): Promise<GameNotice> {
      const notice = await insert(db, { gameId, type: 'Normal', values: [content] })
      await service.announce(gameId, [notice])
      return notice
    },
    async list(gameId: number, page: Page): Promise<GameNotice[]> {
      return (await notices.listPage(gameId, page)).map(presentNotice)
    },
    /** Lists notices of bloods, newest first. */
    async listBloods(gameId: number, limit: number): Promise<GameNotice[]> {
      return (await notices.listBloods(gameId, limit)).map(presentNotice)
    },
    async listWritten(gameId: number): Promise<GameNotice[]> {
      return (await notices.listWritten(gameId)).map(presentNotice)
    },
    async listGenerated(gameId: number, page: Page): Promise<GameNotice[]> {
      return (await notices.listGenerated(gameId, page)).map(presentNotice)
    },
    /** Replaces the text and sets the time to now, without a push. @throws Problem `notice.unknown`, `notice.generated` */
    update: (gameId: number, id: number, content: string): Promise<GameNotice> =>
      db.transaction(async (transaction) => {
        await lockWritten(transaction, gameId, id)
        const publishedAt = clock.now()
        await noticeRepository(transaction).update(id, { values: [content], publishedAt })
        return { id, time: publishedAt.toISOString(), type: 'Normal', values: [content] }
      }),
    /** @throws Problem `notice.unknown`, `notice.generated` */
    delete: (gameId: number, id: number): Promise<void> =>
      db.transaction(async (transaction) => {
        await lockWritten(transaction, gameId, id)
        await noticeRepository(transaction).delete(id)
      }),
    /** Deletes a generated notice. @throws Problem `notice.unknown`, also for a written notice */
    withdraw: (gameId: number, id: number): Promise<void> =>
      db.transaction(async (transaction) => {
        if ((await lock(transaction, gameId, id)) === 'Normal') throw new Problem('notice.unknown')
        await noticeRepository(transaction).delete(id)
      }),
  }
  return service
}

export type NoticeService = ReturnType<typeof createNoticeService>
