import { ownOperations } from '@capstan/contract/operations'
import { Activity } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Switch } from '../../components/ui/field.tsx'
import { SegmentedControl } from '../../components/ui/tabs.tsx'
import { useHub } from '../../lib/live.ts'
import { useQueryChoice } from '../../lib/query-state.ts'
import { useCall } from '../../lib/server-state.ts'
import { EventTable } from './event-table.tsx'
import { eventKinds } from './feed.ts'
import { LiveListPage } from './feed-page.tsx'
import { useFeedFilters, useFilteredFeed } from './use-feed.ts'

const containerChoices = ['shown', 'hidden'] as const

export function EventFeed({ gameId }: { readonly gameId: number }) {
  const { t } = useTranslation('monitor')
  const { value: kind, setValue: setKind } = useQueryChoice('kind', eventKinds)
  const containers = useQueryChoice('instances', containerChoices)
  // The event filter "instances" shows instance events even if the switch for instance events is off.
  const hideContainer = containers.value === 'hidden' && kind !== 'instances'
  const filters = useFeedFilters()
  const query = { ...filters.query, ...(kind !== 'all' && { kind }), ...(hideContainer && { hideContainer }) }
  const read = useCall(ownOperations.findEvents, { params: { id: gameId }, query }, { keepPreviousData: true })
  const feed = useFilteredFeed({ filters, read, scope: JSON.stringify(query) })
  const connection = useHub('monitor', gameId, { event: feed.notify, reconnected: () => void feed.retry() })
  return (
    <LiveListPage
      gameId={gameId}
      feed={feed}
      connection={connection}
      searchLabel={t('search.events')}
      searchHint={t('search.eventsHint')}
      isFiltered={kind !== 'all' || hideContainer}
      empty={{ title: t('event.emptyTitle'), text: t('event.emptyText') }}
      failed={t('event.failed')}
      icon={Activity}
      skeleton={['52px', '20px', '60%', '85%']}
      onClear={() => filters.clear('kind', 'instances')}
      filters={
        <>
          <div className="scroll-line">
            <SegmentedControl
              label={t('event.filter')}
              value={kind}
              onValueChange={setKind}
              options={eventKinds.map((value) => ({ value, label: t(`event.kind.${value}`) }))}
            />
          </div>
          <Switch
            label={t('event.hideContainer')}
            checked={hideContainer}
            disabled={kind === 'instances'}
            onCheckedChange={(isHidden) => containers.setValue(isHidden ? 'hidden' : 'shown')}
          />
        </>
      }
    >
      {(events) => <EventTable gameId={gameId} events={events} />}
    </LiveListPage>
  )
}
