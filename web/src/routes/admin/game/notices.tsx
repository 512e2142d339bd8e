import { operations } from '@capstan/contract/operations'
import { Megaphone } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { PageLayout } from '../../../components/layout/page.tsx'
import { Skeleton } from '../../../components/ui/skeleton.tsx'
import { EmptyState, ErrorState } from '../../../components/ui/states.tsx'
import styles from '../../../features/admin-game/admin-game.module.css'
import { MailCard } from '../../../features/admin-game/mail-card.tsx'
import { ComposeNoticeForm, GeneratedNotices, NoticeList } from '../../../features/admin-game/notice-list.tsx'
import { useGameId } from '../../../lib/game.ts'
import { useCall } from '../../../lib/server-state.ts'

export function Route() {
  const { t } = useTranslation('admin-game')
  const id = useGameId()
  const { data: notices, error, mutate } = useCall(operations.adminListNotices, { params: { id } })
  return (
    <PageLayout title={t('notices.title')} hideTitle>
      <div className={`columns ${styles.notices}`}>
        <div className="stack">
          {!notices && error && <ErrorState error={error} onRetry={() => mutate()} />}
          {!notices && !error && [1, 2, 3].map((row) => <Skeleton key={row} height="96px" />)}
          {notices?.length === 0 && (
            <EmptyState icon={Megaphone} title={t('notices.empty')}>
              {t('notices.emptyText')}
            </EmptyState>
          )}
          {notices && <NoticeList gameId={id} notices={notices} />}
          <GeneratedNotices gameId={id} isListLoading={!notices && !error} />
        </div>
        <div className="stack sticky">
          <ComposeNoticeForm gameId={id} />
          <MailCard gameId={id} />
        </div>
      </div>
    </PageLayout>
  )
}
