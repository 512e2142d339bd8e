import type { ScoreboardTeam } from '@capstan/contract/scoreboard'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useHasPage } from '../../components/team-link.tsx'
import { Avatar } from '../../components/ui/avatar.tsx'
import { BloodMark } from '../../components/ui/blood-mark.tsx'
import { categoryIcons } from '../../components/ui/category.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { EmptyState } from '../../components/ui/states.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { formatNumber } from '../../lib/format.ts'
import { paths } from '../../lib/paths.ts'
import { BloodTally } from './blood-tally.tsx'
import { type ChallengeColumn, historyOf, resultsByCategory, standingOf } from './standings.ts'
import styles from './team.module.css'

type TeamDialogProps = Readonly<{
  gameId: number
  team: ScoreboardTeam
  division: string
  columns: readonly ChallengeColumn[]
  onClose: () => void
}>

export function TeamDialog({ gameId, team, division, columns, onClose }: TeamDialogProps) {
  const { t } = useTranslation('scoreboard')
  const { bloods } = standingOf(team, division)
  const history = historyOf(team, columns)
  const hasPage = useHasPage(gameId)
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="large"
      title={
        <span className={styles.title}>
          <Avatar team name={team.name} src={team.avatar} size={32} />
          <bdi className="wrap-anywhere">{team.name}</bdi>
        </span>
      }
      description={team.bio || undefined}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={styles.content} tabIndex={0} aria-label={t('team.details')}>
        <dl className={styles.facts}>
          <Fact name={t('column.rank')} value={formatNumber(team.rank)} />
          {team.organization !== null && (
            <Fact name={team.organization} value={team.organizationRank === null ? '–' : formatNumber(team.organizationRank)} />
          )}
          <Fact name={t('column.score')} value={formatNumber(team.score)} />
          <Fact
            name={t('column.solved')}
            value={
              <>
                {formatNumber(team.solvedCount)}
                <span className="faint small"> / {formatNumber(columns.length)}</span>
              </>
            }
          />
          <Fact name={t('team.bloods')} value={<BloodTally bloods={bloods} />} />
        </dl>
        {hasPage(team.id) && (
          <p className="small">
            <Link to={paths.team.to(team.id)}>{t('team.page')}</Link>
          </p>
        )}
        {columns.length > 0 && (
          <section className="stack gap-2" aria-labelledby="team-categories">
            <h3 id="team-categories">{t('team.categories')}</h3>
            <ul className={styles.categories}>
              {resultsByCategory(team, columns).map(({ category, solved, total, points, available }) => {
                const Icon = categoryIcons[category]
                return (
                  <li key={category} data-category={category}>
                    <span className={styles.category}>
                      <Icon aria-hidden />
                      {category}
                    </span>
                    <span className={styles.bar} aria-hidden>
                      <span style={{ scale: `${available === 0 ? 0 : Math.min(1, points / available)} 1` }} />
                    </span>
                    <span className="number small muted">
                      {t('team.solvedOf', { solved: formatNumber(solved), total: formatNumber(total) })}
                    </span>
                    <span className={styles.points}>{t('points', { count: points, value: formatNumber(points) })}</span>
                  </li>
                )
              })}
            </ul>
          </section>
        )}
        <section className="stack gap-2" aria-labelledby="team-history">
          <h3 id="team-history">{t('team.history')}</h3>
          {history.length === 0 ? (
            <EmptyState title={t('team.noSolves')}>{t('team.noSolvesText')}</EmptyState>
          ) : (
            <ol className={styles.history}>
              {history.map((entry) => {
                const Icon = categoryIcons[entry.category]
                return (
                  <li key={entry.id}>
                    <span data-category={entry.category} className={styles.icon}>
                      <Icon role="img" aria-label={entry.category} />
                    </span>
                    <span className={styles.solve}>
                      <bdi className="truncate">{entry.title}</bdi>
                      <span className="truncate small faint">
                        {entry.userName && <bdi>{entry.userName} · </bdi>}
                        <RelativeTime at={entry.time} />
                      </span>
                    </span>
                    {entry.place && <BloodMark size={18} place={entry.place} label={t(`blood.${entry.type as 'FirstBlood'}`)} />}
                    <span className={styles.points}>{t('points', { count: entry.score, value: formatNumber(entry.score) })}</span>
                  </li>
                )
              })}
            </ol>
          )}
        </section>
      </section>
    </Dialog>
  )
}

function Fact({ name, value }: { readonly name: string; readonly value: ReactNode }) {
  return (
    <div>
      <dt className="truncate">
        <bdi>{name}</bdi>
      </dt>
      <dd>{value}</dd>
    </div>
  )
}
