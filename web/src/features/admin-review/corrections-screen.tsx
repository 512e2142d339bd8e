import type { Award } from '@capstan/contract/awards'
import { PageLimits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import { Scale } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { ButtonLink } from '../../components/ui/button.tsx'
import { type Column, DataList } from '../../components/ui/data-table.tsx'
import { EmptyState } from '../../components/ui/states.tsx'
import { paths } from '../../lib/paths.ts'
import { useQueryPage } from '../../lib/query-state.ts'
import { useCall } from '../../lib/server-state.ts'
import styles from './award.module.css'
import { AwardPoints, AwardText, RevokeButton } from './award-parts.tsx'

function keyOf({ id }: Award) {
  return id
}

/** All points that organizers gave or took, newest first. */
export function CorrectionsScreen({ gameId }: { readonly gameId: number }) {
  const { t } = useTranslation('admin-review')
  const { page, setPage } = useQueryPage()
  const pageSize = PageLimits.max
  const { data, error, mutate } = useCall(ownOperations.listAwards, {
    params: { id: gameId },
    query: { count: pageSize, skip: page * pageSize },
  })
  const columns = useMemo<readonly Column<Award>[]>(
    () => [
      {
        head: t('team'),
        kind: 'name',
        bare: true,
        cell: ({ teamId, team }) => (
          <Link to={paths.adminGameReview.to(gameId, teamId)}>
            <bdi className="wrap-anywhere">{team}</bdi>
          </Link>
        ),
        loadingWidth: '50%',
      },
      { head: t('award.points'), kind: 'end', cell: (award) => <AwardPoints award={award} />, loadingWidth: '40px' },
      { head: t('award.reason'), cell: (award) => <AwardText award={award} />, loadingWidth: '80%' },
      {
        head: t('award.revokeConfirm'),
        kind: 'actions',
        cell: (award) => <RevokeButton gameId={gameId} award={award} />,
        loadingWidth: '24px',
      },
    ],
    [t, gameId],
  )
  return (
    <DataList
      label={t('award.section')}
      columns={columns}
      keyOf={keyOf}
      className={styles.table}
      rows={data?.data}
      error={error}
      onRetry={() => mutate()}
      listOnPhone
      empty={
        <EmptyState
          icon={Scale}
          title={t('award.empty')}
          actions={<ButtonLink to={paths.adminGameReview.to(gameId)}>{t('award.chooseTeam')}</ButtonLink>}
        >
          {t('award.emptyText')}
        </EmptyState>
      }
      paging={
        data && data.total > pageSize
          ? { page, pageSize, total: data.total, itemsShown: data.data.length, onPageChange: setPage }
          : undefined
      }
    />
  )
}
