import type { GameDetail } from '@capstan/contract/games'
import { operations } from '@capstan/contract/operations'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import { phaseOfGame } from '../../lib/game.ts'
import { useWorstConnectionState } from '../../lib/live.ts'
import { useHaveAllReadsEnded } from '../../lib/quiet.ts'
import { useCall } from '../../lib/server-state.ts'
import { useSession } from '../../lib/session.ts'
import { listUnreadNotices, useReadNoticeIds } from '../../stores/read-notices.ts'
import { useNow } from '../ui/time.tsx'

type UnreadMarkProps = Readonly<{
  count: number
  /** Text for screen readers. */
  label: string
}>

/** Number beside a link. Renders nothing if the number is 0. */
export function UnreadMark({ count, label }: UnreadMarkProps) {
  if (count === 0) return null
  return (
    <span className="pill">
      <span aria-hidden>{formatNumber(count)}</span>
      <span className="visually-hidden">{label}</span>
    </span>
  )
}

/** Number of announcements that the user has not read. */
export function UnreadNoticesCount({ game }: { readonly game: GameDetail }) {
  const { t } = useTranslation()
  const { profile } = useSession()
  const readIds = useReadNoticeIds(profile?.userId ?? '')
  const now = useNow(10_000)
  const isQuiet = useHaveAllReadsEnded()
  const connection = useWorstConnectionState()
  const { data: notices } = useCall(
    operations.listNotices,
    isQuiet && phaseOfGame(game, now) !== 'upcoming' ? { params: { id: game.id } } : null,
    connection === 'live' ? { refreshInterval: 0 } : {},
  )
  const count = listUnreadNotices(notices ?? [], readIds).length
  return <UnreadMark count={count} label={t('game.unread', { count })} />
}
