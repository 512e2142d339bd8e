import type { Award } from '@capstan/contract/awards'
import type { SolveCorrection } from '@capstan/contract/corrections'
import { PageLimits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import { Scale } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { ButtonLink } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { type Column, DataList } from '../../components/ui/data-table.tsx'
import { EmptyState } from '../../components/ui/states.tsx'
import { paths } from '../../lib/paths.ts'
import { useCall } from '../../lib/server-state.ts'
import styles from './correction.module.css'
import {
  AwardPoints,
  AwardText,
  CorrectionBadge,
  CorrectionText,
  RevokeAwardButton,
  RevokeCorrectionButton,
} from './correction-parts.tsx'

const pageSize = PageLimits.max

function keyOf({ id }: Award | SolveCorrection) {
  return id
}

type Page<Row> = Readonly<{ data: readonly Row[]; total: number }>

function pagingOf<Row>(answer: Page<Row> | undefined, page: number, onPageChange: (page: number) => void) {
  if (!answer || answer.total <= pageSize) return undefined
  return { page, pageSize, total: answer.total, itemsShown: answer.data.length, onPageChange }
}

/** Page with all corrections of a game by organizers, newest first. A correction changes the points or the solves of a team. */
export function CorrectionsScreen({ gameId }: { readonly gameId: number }) {
  const { t } = useTranslation('admin-review')
  const [awardPage, setAwardPage] = useState(0)
  const [solvePage, setSolvePage] = useState(0)
  const params = { id: gameId }
  const awards = useCall(ownOperations.listAwards, { params, query: { count: pageSize, skip: awardPage * pageSize } })
  const solves = useCall(ownOperations.listSolveCorrections, { params, query: { count: pageSize, skip: solvePage * pageSize } })
  const team = useMemo<Column<Award | SolveCorrection>>(
    () => ({
      head: t('team'),
      kind: 'name',
      bare: true,
      cell: ({ teamId, team: name }) => (
        <Link to={paths.adminGameReview.to(gameId, teamId)}>
          <bdi className="wrap-anywhere">{name}</bdi>
        </Link>
      ),
      loadingWidth: '50%',
    }),
    [t, gameId],
  )
  const awardColumns = useMemo<readonly Column<Award>[]>(
    () => [
      team,
      { head: t('award.points'), kind: 'end', cell: (award) => <AwardPoints award={award} />, loadingWidth: '40px' },
      { head: t('award.reason'), cell: (award) => <AwardText award={award} />, loadingWidth: '80%' },
      {
        head: t('award.revokeConfirm'),
        kind: 'actions',
        cell: (award) => <RevokeAwardButton gameId={gameId} award={award} />,
        loadingWidth: '24px',
      },
    ],
    [t, gameId, team],
  )
  const solveColumns = useMemo<readonly Column<SolveCorrection>[]>(
    () => [
      team,
      {
        head: t('correction.challenge'),
        cell: (correction) => (
          <span className={cx('stack gap-0 start tight', styles.text)}>
            <bdi className="wrap-anywhere">{correction.challenge}</bdi>
            <CorrectionBadge correction={correction} />
          </span>
        ),
        loadingWidth: '60%',
      },
      { head: t('award.reason'), cell: (correction) => <CorrectionText correction={correction} />, loadingWidth: '80%' },
      {
        head: t('award.revokeConfirm'),
        kind: 'actions',
        cell: (correction) => <RevokeCorrectionButton gameId={gameId} correction={correction} />,
        loadingWidth: '24px',
      },
    ],
    [t, gameId, team],
  )
  if (awards.data?.total === 0 && solves.data?.total === 0)
    return (
      <EmptyState
        icon={Scale}
        title={t('award.empty')}
        actions={<ButtonLink to={paths.adminGameReview.to(gameId)}>{t('award.chooseTeam')}</ButtonLink>}
      >
        {t('award.emptyText')}
      </EmptyState>
    )
  return (
    <div className="stack">
      <section className="stack gap-2" aria-label={t('award.section')}>
        <h2>{t('award.section')}</h2>
        <DataList
          label={t('award.section')}
          columns={awardColumns}
          keyOf={keyOf}
          className={styles.table}
          rows={awards.data?.data}
          error={awards.error}
          onRetry={() => awards.mutate()}
          loadingRows={3}
          listOnPhone
          empty={<p className="small muted">{t('award.none')}</p>}
          paging={pagingOf(awards.data, awardPage, setAwardPage)}
        />
      </section>
      <section className="stack gap-2" aria-label={t('correction.section')}>
        <h2>{t('correction.section')}</h2>
        <DataList
          label={t('correction.section')}
          columns={solveColumns}
          keyOf={keyOf}
          className={styles.table}
          rows={solves.data?.data}
          error={solves.error}
          onRetry={() => solves.mutate()}
          loadingRows={3}
          listOnPhone
          empty={<p className="small muted">{t('correction.none')}</p>}
          paging={pagingOf(solves.data, solvePage, setSolvePage)}
        />
      </section>
    </div>
  )
}
