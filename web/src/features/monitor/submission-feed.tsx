import { operations } from '@capstan/contract/operations'
import { Download, Flag } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { DownloadButton } from '../../components/ui/download-link.tsx'
import { Segments } from '../../components/ui/tabs.tsx'
import { addressOf } from '../../lib/http.ts'
import { useHub } from '../../lib/live.ts'
import { useQueryChoice } from '../../lib/query-state.ts'
import { useCall } from '../../lib/server-state.ts'
import { submissionFilters, submissionKey, submissionText, timeOf } from './feed.ts'
import { FeedPage } from './feed-page.tsx'
import styles from './monitor.module.css'
import { SubmissionTable } from './submission-table.tsx'
import { useFeed, useFeedPlace } from './use-feed.ts'

/** Submissions of a game as they are judged. */
export function SubmissionFeed({ gameId }: { readonly gameId: number }) {
  const { t } = useTranslation('monitor')
  const { value: status, setValue: setStatus } = useQueryChoice('status', submissionFilters)
  const place = useFeedPlace(false)
  const read = useCall(
    operations.listSubmissions,
    { params: { id: gameId }, query: { ...place.query, ...(status !== 'all' && { type: status }) } },
    { keepPreviousData: true },
  )
  const feed = useFeed({
    place,
    read,
    accepts: (submission) => status === 'all' || submission.status === status,
    keyOf: submissionKey,
    timeOf,
    textOf: submissionText,
  })
  const connection = useHub('monitor', gameId, { submission: feed.tail.push, reconnected: () => void feed.retry() })
  return (
    <FeedPage
      feed={feed}
      connection={connection}
      searchLabel={t('search.submissions')}
      searchHint={t('search.submissionsHint')}
      isFiltered={status !== 'all'}
      empty={{ title: t('submission.emptyTitle'), text: t('submission.emptyText') }}
      emptyFiltered={{ title: t('submission.emptyStatus'), text: t('submission.emptyStatusText') }}
      failed={t('submission.failed')}
      icon={Flag}
      skeleton={['52px', '80px', '60%', '60%', '70%', '80%']}
      onClear={() => {
        feed.search.setTyped('')
        setStatus('all')
      }}
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
      {(submissions) => <SubmissionTable submissions={submissions} />}
    </FeedPage>
  )
}
