import type { GameNotice } from '@capstan/contract/games'
import type { NoticeRow } from './repository.ts'

function valuesOf({ type, text, teamName, challengeTitle }: NoticeRow): string[] {
  if (type === 'Normal') return [text ?? '']
  const challenge = challengeTitle ?? ''
  return type === 'NewChallenge' || type === 'NewHint' ? [challenge] : [teamName ?? '', challenge]
}

export function presentNotice(notice: NoticeRow): GameNotice {
  return {
    id: notice.id,
    time: notice.publishedAt.toISOString(),
    type: notice.type,
    values: valuesOf(notice),
  }
}
