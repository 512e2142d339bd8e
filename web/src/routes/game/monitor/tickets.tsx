import { ownOperations } from '@capstan/contract/operations'
import { ticketViews } from '@capstan/contract/vocabulary'
import { LifeBuoy } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useParams } from 'react-router'
import { Page } from '../../../components/layout/page.tsx'
import styles from '../../../components/tickets/tickets.module.css'
import { Button } from '../../../components/ui/button.tsx'
import { SkeletonLines } from '../../../components/ui/skeleton.tsx'
import { EmptyState, ErrorState } from '../../../components/ui/states.tsx'
import { Segments } from '../../../components/ui/tabs.tsx'
import { Toolbar } from '../../../components/ui/toolbar.tsx'
import { CannedAnswersDialog } from '../../../features/monitor/canned-answers-dialog.tsx'
import { DeskTicket } from '../../../features/monitor/desk-ticket.tsx'
import { TicketQueue } from '../../../features/monitor/ticket-queue.tsx'
import { formatNumber } from '../../../lib/format.ts'
import { useGameId } from '../../../lib/game.ts'
import { addressOf } from '../../../lib/http.ts'
import { useHub } from '../../../lib/live.ts'
import { paths } from '../../../lib/paths.ts'
import { useQueryChoice } from '../../../lib/query-state.ts'
import { refreshUnder, useCall } from '../../../lib/server-state.ts'

/** Tickets of all teams of a game, for organizers. */
export function Route() {
  const { t } = useTranslation('tickets')
  const id = useGameId()
  const navigate = useNavigate()
  const { ticketId } = useParams()
  const view = useQueryChoice('view', ticketViews)
  const [isEditing, setIsEditing] = useState(false)
  const { data, error, mutate } = useCall(
    ownOperations.findTickets,
    { params: { id }, query: { view: view.value } },
    { keepPreviousData: true },
  )
  const readAgain = () => refreshUnder(addressOf(ownOperations.findTickets, { params: { id } }))
  useHub('monitor', id, { tickets: () => void readAgain(), reconnected: () => void readAgain() })
  const to = (tid?: string) => paths.monitorTickets.to(id, tid, { view: view.value === 'open' ? undefined : view.value })
  return (
    <Page title={t('title')} hideTitle width="wide">
      <Toolbar end={<Button onClick={() => setIsEditing(true)}>{t('desk.canned')}</Button>}>
        <Segments
          label={t('desk.view.label')}
          value={view.value}
          onValueChange={view.setValue}
          options={ticketViews.map((value) => ({
            value,
            label: (
              <>
                {t(`desk.view.${value}`)} {data && <span className="number muted">{formatNumber(data.counts[value])}</span>}
              </>
            ),
          }))}
        />
      </Toolbar>
      <div className={styles.split} data-chosen={ticketId !== undefined}>
        <div className={styles.list}>
          {data && data.data.length > 0 && <TicketQueue tickets={data.data} addressOf={to} />}
          {data?.data.length === 0 && (
            <EmptyState icon={LifeBuoy} title={t('desk.emptyTitle')}>
              {t('desk.emptyText')}
            </EmptyState>
          )}
          {!data && (error ? <ErrorState error={error} onRetry={() => mutate()} /> : <SkeletonLines count={5} />)}
        </div>
        {ticketId !== undefined && (
          <DeskTicket
            key={ticketId}
            gameId={id}
            ticketId={ticketId}
            organizers={data?.organizers ?? []}
            listed={data?.data ?? []}
            listTo={to()}
            onChanged={readAgain}
            onOpen={(opened) => navigate(to(opened))}
          />
        )}
      </div>
      {isEditing && <CannedAnswersDialog onClose={() => setIsEditing(false)} />}
    </Page>
  )
}
