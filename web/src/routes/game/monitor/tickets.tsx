import { ownOperations } from '@capstan/contract/operations'
import { ticketViews } from '@capstan/contract/vocabulary'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate, useParams } from 'react-router'
import { PageLayout } from '../../../components/layout/page.tsx'
import styles from '../../../components/tickets/tickets.module.css'
import { Button } from '../../../components/ui/button.tsx'
import { cx } from '../../../components/ui/cx.ts'
import { SegmentedControl } from '../../../components/ui/tabs.tsx'
import { CannedAnswersDialog } from '../../../features/monitor/canned-answers-dialog.tsx'
import { OrganizerTicketThread } from '../../../features/monitor/desk-ticket.tsx'
import { FeedFilterBar } from '../../../features/monitor/feed-filter-bar.tsx'
import { TicketList } from '../../../features/monitor/ticket-list.tsx'
import { useFeedFilters } from '../../../features/monitor/use-feed.ts'
import { formatNumber } from '../../../lib/format.ts'
import { useGameId } from '../../../lib/game.ts'
import { addressOfCall } from '../../../lib/http.ts'
import { paths } from '../../../lib/paths.ts'
import { useQueryChoice } from '../../../lib/query-state.ts'
import { refreshCallsWithPrefix, useCall } from '../../../lib/server-state.ts'

const pageSize = 50

/** Tickets of all teams of a game, for organizers. */
export function Route() {
  const { t } = useTranslation('tickets')
  const id = useGameId()
  const navigate = useNavigate()
  const { search } = useLocation()
  const { ticketId } = useParams()
  const view = useQueryChoice('view', ticketViews)
  const filters = useFeedFilters(pageSize)
  const [isEditing, setIsEditing] = useState(false)
  const { data, error, mutate } = useCall(
    ownOperations.findTickets,
    { params: { id }, query: { ...filters.query, view: view.value } },
    { keepPreviousData: true },
  )
  const readAgain = () => refreshCallsWithPrefix(addressOfCall(ownOperations.findTickets, { params: { id } }))
  const to = (tid?: string) => `${paths.monitorTickets.to(id, tid)}${search}`
  return (
    <PageLayout title={t('title')} hideTitle width="wide">
      <div className={styles.filters} data-chosen={ticketId !== undefined}>
        <FeedFilterBar
          gameId={id}
          filters={filters}
          searchLabel={t('desk.search')}
          searchHint={t('desk.searchHint')}
          end={<Button onClick={() => setIsEditing(true)}>{t('desk.canned')}</Button>}
        >
          <div className="scroll-line">
            <SegmentedControl
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
          </div>
        </FeedFilterBar>
      </div>
      <div className={styles.split} data-chosen={ticketId !== undefined}>
        <div className={cx('stack gap-3', styles.list)}>
          <TicketList read={{ data, error, mutate }} filters={filters} addressOf={to} />
        </div>
        {ticketId !== undefined && (
          <OrganizerTicketThread
            key={ticketId}
            gameId={id}
            ticketId={ticketId}
            organizers={data?.organizers ?? []}
            listTo={to()}
            onChanged={readAgain}
            onOpen={(opened) => navigate(to(opened))}
          />
        )}
      </div>
      {isEditing && <CannedAnswersDialog onClose={() => setIsEditing(false)} />}
    </PageLayout>
  )
}
