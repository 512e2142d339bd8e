import { ownOperations } from '@capstan/contract/operations'
import { Download, Flag } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { createLazyMenu } from '../../components/ui/lazy-menu.tsx'
import { SegmentedControl } from '../../components/ui/tabs.tsx'
import { useHub } from '../../lib/live.ts'
import { useQueryChoice } from '../../lib/query-state.ts'
import { useCall } from '../../lib/server-state.ts'
import { submissionFilters } from './feed.ts'
import { LiveListPage } from './feed-page.tsx'
import { SubmissionTable } from './submission-table.tsx'
import { useFeedFilters, useFilteredFeed } from './use-feed.ts'

const SheetMenu = createLazyMenu(() => import('./sheet-menu.tsx').then((file) => file.SubmissionsDownloadMenu))

export function SubmissionFeed({ gameId }: { readonly gameId: number }) {
  const { t } = useTranslation('monitor')
  const { value: status, setValue: setStatus } = useQueryChoice('status', submissionFilters)
  const filters = useFeedFilters()
  const query = { ...filters.query, ...(status !== 'all' && { type: status }) }
  const read = useCall(ownOperations.findSubmissions, { params: { id: gameId }, query }, { keepPreviousData: true })
  const feed = useFilteredFeed({ filters, read, scope: JSON.stringify(query) })
  const connection = useHub('monitor', gameId, { submission: feed.notify, reconnected: () => void feed.retry() })
  return (
    <LiveListPage
      gameId={gameId}
      feed={feed}
      connection={connection}
      searchLabel={t('search.submissions')}
      searchHint={t('search.submissionsHint')}
      isFiltered={status !== 'all'}
      empty={{ title: t('submission.emptyTitle'), text: t('submission.emptyText') }}
      failed={t('submission.failed')}
      icon={Flag}
      skeleton={['52px', '80px', '60%', '60%', '70%', '80%']}
      onClear={() => filters.clear('status')}
      filters={
        <div className="scroll-line">
          <SegmentedControl
            label={t('submission.filter')}
            value={status}
            onValueChange={setStatus}
            options={submissionFilters.map((value) => ({
              value,
              label: value === 'all' ? t('submission.all') : t(`status.${value}`),
            }))}
          />
        </div>
      }
      actions={
        <SheetMenu
          trigger={
            <Button>
              <Download aria-hidden />
              {t('submission.sheet')}
            </Button>
          }
          gameId={gameId}
        />
      }
    >
      {(submissions) => <SubmissionTable gameId={gameId} submissions={submissions} />}
    </LiveListPage>
  )
}
