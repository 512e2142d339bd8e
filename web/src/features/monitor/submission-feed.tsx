import { operations, ownOperations } from '@capstan/contract/operations'
import { Download, Flag } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { DownloadButton } from '../../components/ui/download-link.tsx'
import { Segments } from '../../components/ui/tabs.tsx'
import { addressOf } from '../../lib/http.ts'
import { useHub } from '../../lib/live.ts'
import { useQueryChoice } from '../../lib/query-state.ts'
import { useCall } from '../../lib/server-state.ts'
import { submissionFilters } from './feed.ts'
import { FeedPage } from './feed-page.tsx'
import styles from './monitor.module.css'
import { SubmissionTable } from './submission-table.tsx'
import { useFeed, useFeedFilters } from './use-feed.ts'

export function SubmissionFeed({ gameId }: { readonly gameId: number }) {
  const { t } = useTranslation('monitor')
  const { value: status, setValue: setStatus } = useQueryChoice('status', submissionFilters)
  const filters = useFeedFilters()
  const query = { ...filters.query, ...(status !== 'all' && { type: status }) }
  const read = useCall(ownOperations.findSubmissions, { params: { id: gameId }, query }, { keepPreviousData: true })
  const feed = useFeed({ filters, read, scope: JSON.stringify(query) })
  const connection = useHub('monitor', gameId, { submission: feed.notify, reconnected: () => void feed.retry() })
  return (
    <FeedPage
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
        <div className={styles.scroller}>
          <Segments
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
        <DownloadButton href={addressOf(operations.downloadSubmissions, { params: { id: gameId } })}>
          <Download aria-hidden />
          {t('submission.sheet')}
        </DownloadButton>
      }
    >
      {(submissions) => <SubmissionTable gameId={gameId} submissions={submissions} />}
    </FeedPage>
  )
}
