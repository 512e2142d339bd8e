import { ownOperations } from '@capstan/contract/operations'
import { LifeBuoy } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { addressOfCall } from '../../lib/http.ts'
import { useHub, useWorstConnectionState } from '../../lib/live.ts'
import { paths } from '../../lib/paths.ts'
import { useHaveAllReadsEnded } from '../../lib/quiet.ts'
import { refreshCallsWithPrefix, useCall } from '../../lib/server-state.ts'
import { cx } from '../ui/cx.ts'
import styles from './shell.module.css'
import { UnreadMark } from './unread-count.tsx'

type UnreadTicketsProps = Readonly<{
  gameId: number
  /**
   * Side that reads the tickets. For `team`, tickets of the player's team are counted. For `organizers`, tickets of all teams are
   * counted.
   */
  side: 'team' | 'organizers'
}>

function useUnreadTickets({ gameId, side }: UnreadTicketsProps): number {
  const isQuiet = useHaveAllReadsEnded()
  const connection = useWorstConnectionState()
  const { data } = useCall(
    side === 'team' ? ownOperations.countUnreadTeamTickets : ownOperations.countUnreadTickets,
    isQuiet ? { params: { id: gameId } } : null,
    connection === 'live' ? { refreshInterval: 0 } : {},
  )
  return data?.count ?? 0
}

/** Number of tickets that the user has not read. The surrounding layout must call `useTicketRefresh` to refresh it. */
export function UnreadTicketsCount(props: UnreadTicketsProps) {
  const { t } = useTranslation()
  const count = useUnreadTickets(props)
  return <UnreadMark count={count} label={t('game.unreadTickets', { count })} />
}

/** Link to unread tickets. It is for phones, where the tickets tab is often outside the screen. */
export function UnreadTicketsLink(props: UnreadTicketsProps) {
  const { gameId, side } = props
  if (useUnreadTickets(props) === 0) return null
  return (
    <Link
      to={side === 'team' ? paths.tickets.to(gameId) : paths.monitorTickets.to(gameId)}
      className={cx('inline gap-1', styles.ticketsLink)}
    >
      <LifeBuoy aria-hidden />
      <UnreadTicketsCount {...props} />
    </Link>
  )
}

/** Reads all tickets of a game again after each message about a ticket. */
export function useTicketRefresh(gameId: number, { team, organizers }: Readonly<{ team: boolean; organizers: boolean }>): void {
  const params = { id: gameId }
  const readTeam = () => void refreshCallsWithPrefix(addressOfCall(ownOperations.listTeamTickets, { params }))
  const readDesk = () => void refreshCallsWithPrefix(addressOfCall(ownOperations.findTickets, { params }))
  useHub('user', gameId, { teamTickets: readTeam, reconnected: readTeam }, team)
  useHub('monitor', gameId, { tickets: readDesk, reconnected: readDesk }, organizers)
}
