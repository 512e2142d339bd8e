import type { GameNotice } from '@capstan/contract/games'
import type { NoticeRow } from './repository.ts'

export const presentNotice = (notice: NoticeRow): GameNotice => ({
  id: notice.id,
  time: notice.publishedAt.toISOString(),
  type: notice.type,
  values: notice.values,
})
