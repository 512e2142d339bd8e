import { PageLimits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import { Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Skeleton } from '../../components/ui/skeleton.tsx'
import { ErrorState } from '../../components/ui/states.tsx'
import { useCall } from '../../lib/server-state.ts'
import { AwardDialog } from './award-dialog.tsx'
import styles from './correction.module.css'
import { CorrectionDialog } from './correction-dialog.tsx'
import {
  AwardPoints,
  AwardText,
  CorrectionBadge,
  CorrectionText,
  RevokeAwardButton,
  RevokeCorrectionButton,
} from './correction-parts.tsx'

type TeamCorrectionsProps = Readonly<{
  gameId: number
  team: Readonly<{ id: number; name: string }>
}>

type EntriesProps = Readonly<{
  title: string
  add: string
  none: string
  onAdd: () => void
  /** Awards or corrections of the team. Undefined before the first read. */
  rows: readonly Readonly<{ id: number; content: ReactNode }>[] | undefined
  error: unknown
  onRetry: () => unknown
}>

function Entries({ title, add, none, onAdd, rows, error, onRetry }: EntriesProps) {
  return (
    <section className="stack gap-2" aria-label={title}>
      <div className="row gap-2 row-between">
        <h3 className="muted small medium">{title}</h3>
        <Button size="small" onClick={onAdd}>
          <Plus aria-hidden />
          {add}
        </Button>
      </div>
      {!rows && error !== undefined && <ErrorState error={error} onRetry={onRetry} />}
      {!rows && error === undefined && <Skeleton height="20px" />}
      {rows?.length === 0 && <p className="small muted">{none}</p>}
      {rows && rows.length > 0 && (
        <ul className={cx('stack gap-3', styles.list)}>
          {rows.map(({ id, content }) => (
            <li key={id} className="line start gap-3">
              {content}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** Organizers' corrections for a team: awarded points, and granted or taken-back solves. */
export function TeamCorrections({ gameId, team }: TeamCorrectionsProps) {
  const { t } = useTranslation('admin-review')
  const read = { params: { id: gameId }, query: { teamId: team.id, count: PageLimits.max } }
  const awards = useCall(ownOperations.listAwards, read)
  const corrections = useCall(ownOperations.listSolveCorrections, read)
  const [opened, setOpened] = useState<'award' | 'correction'>()
  const close = () => setOpened(undefined)
  return (
    <>
      <Entries
        title={t('award.section')}
        add={t('award.add')}
        none={t('award.none')}
        onAdd={() => setOpened('award')}
        rows={awards.data?.data.map((award) => ({
          id: award.id,
          content: (
            <>
              <AwardPoints award={award} />
              <AwardText award={award} />
              <RevokeAwardButton gameId={gameId} award={award} />
            </>
          ),
        }))}
        error={awards.error}
        onRetry={() => awards.mutate()}
      />
      <Entries
        title={t('correction.section')}
        add={t('correction.add')}
        none={t('correction.none')}
        onAdd={() => setOpened('correction')}
        rows={corrections.data?.data.map((correction) => ({
          id: correction.id,
          content: (
            <>
              <span className={cx('stack gap-0 start tight', styles.text)}>
                <span className="row gap-2">
                  <strong className="wrap-anywhere">
                    <bdi>{correction.challenge}</bdi>
                  </strong>
                  <CorrectionBadge correction={correction} />
                </span>
                <CorrectionText correction={correction} />
              </span>
              <RevokeCorrectionButton gameId={gameId} correction={correction} />
            </>
          ),
        }))}
        error={corrections.error}
        onRetry={() => corrections.mutate()}
      />
      {opened === 'award' && <AwardDialog gameId={gameId} team={team} onClose={close} />}
      {opened === 'correction' && <CorrectionDialog gameId={gameId} team={team} onClose={close} />}
    </>
  )
}
