import { ownOperations } from '@capstan/contract/operations'
import type { ScoreboardTeam } from '@capstan/contract/scoreboard'
import { Flag, Scale } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useHasTeamPage } from '../../components/team-link.tsx'
import { Avatar } from '../../components/ui/avatar.tsx'
import { BloodMark } from '../../components/ui/blood-mark.tsx'
import { categoryIcons } from '../../components/ui/category.tsx'
import { CategoryBars } from '../../components/ui/category-bars.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Dialog } from '../../components/ui/dialog.tsx'
import { NamedValue, NamedValueList } from '../../components/ui/facts.tsx'
import { EmptyState } from '../../components/ui/states.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { formatNumber } from '../../lib/format.ts'
import { paths } from '../../lib/paths.ts'
import { useCall } from '../../lib/server-state.ts'
import { BloodTally } from './blood-tally.tsx'
import {
  type ChallengeColumn,
  getStanding,
  listAwardsOfTeam,
  listTeamFoundFlags,
  listTeamSolves,
  summarizeResultsByCategory,
} from './standings.ts'
import styles from './team.module.css'

type TeamDialogProps = Readonly<{
  gameId: number
  team: ScoreboardTeam
  division: string
  columns: readonly ChallengeColumn[]
  /** True if the user is a member of the team. Only members can read the reasons of awards. */
  isOwn: boolean
  onClose: () => void
}>

export function TeamDialog({ gameId, team, division, columns, isOwn, onClose }: TeamDialogProps) {
  const { t } = useTranslation('scoreboard')
  const { bloods } = getStanding(team, division)
  const history = listTeamSolves(team, columns)
  const hasPage = useHasTeamPage(gameId)
  const { data: own } = useCall(ownOperations.listTeamAwards, isOwn && team.awards ? { params: { id: gameId } } : null)
  const awards = listAwardsOfTeam(team, own)
  const found = listTeamFoundFlags(team, columns)
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="large"
      title={
        <span className="line gap-3">
          <Avatar team name={team.name} src={team.avatar} size={32} />
          <bdi className="wrap-anywhere">{team.name}</bdi>
        </span>
      }
      description={team.bio || undefined}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className={cx('stack gap-6', styles.content)} tabIndex={0} aria-label={t('team.details')}>
        <NamedValueList kind="tiles">
          <NamedValue name={t('column.rank')}>{team.rank > 0 ? formatNumber(team.rank) : '–'}</NamedValue>
          {team.organization !== null && (
            <NamedValue name={<bdi>{team.organization}</bdi>}>
              {team.organizationRank === null ? '–' : formatNumber(team.organizationRank)}
            </NamedValue>
          )}
          <NamedValue name={t('column.score')}>{formatNumber(team.score)}</NamedValue>
          <NamedValue name={t('column.solved')}>
            {formatNumber(team.solvedCount)}
            <span className="faint small"> / {formatNumber(columns.length)}</span>
          </NamedValue>
          <NamedValue name={t('team.bloods')}>
            <BloodTally bloods={bloods} />
          </NamedValue>
        </NamedValueList>
        {hasPage(team.id) && (
          <p className="small">
            <Link to={paths.team.to(team.id)}>{t('team.page')}</Link>
          </p>
        )}
        {columns.length > 0 && (
          <section className="stack gap-2" aria-labelledby="team-categories">
            <h3 id="team-categories">{t('team.categories')}</h3>
            <CategoryBars
              rows={summarizeResultsByCategory(team, columns).map(({ category, solved, total, points, available }) => ({
                category,
                share: available === 0 ? 0 : Math.min(1, points / available),
                first: (
                  <span className="muted">
                    {t('team.solvedOf', { solved: formatNumber(solved), total: formatNumber(total) })}
                  </span>
                ),
                second: <strong className="nowrap">{t('points', { count: points, value: formatNumber(points) })}</strong>,
              }))}
            />
          </section>
        )}
        {awards.length > 0 && (
          <section className="stack gap-2" aria-labelledby="team-awards">
            <h3 id="team-awards">{t('team.award')}</h3>
            <ol className={cx('frame divided', styles.history)}>
              {awards.map(({ key, points, time, reason }) => (
                <li key={key} className="line gap-3">
                  <span className={styles.icon}>
                    <Scale aria-hidden />
                  </span>
                  <span className="stack gap-0 grow tight">
                    {reason !== null && <bdi className="wrap-anywhere">{reason}</bdi>}
                    <span className="small faint">
                      <RelativeTime at={time} />
                    </span>
                  </span>
                  <strong className="small number nowrap">{formatNumber(points, { signDisplay: 'always' })}</strong>
                </li>
              ))}
            </ol>
          </section>
        )}
        {found.length > 0 && (
          <section className="stack gap-2" aria-labelledby="team-flags">
            <h3 id="team-flags">{t('team.flags')}</h3>
            <ol className={cx('frame divided', styles.history)}>
              {found.map(({ key, title, points, time }) => (
                <li key={key} className="line gap-3">
                  <span className={styles.icon}>
                    <Flag aria-hidden />
                  </span>
                  <span className="stack gap-0 grow tight">
                    <bdi className="truncate">{title}</bdi>
                    <span className="small faint">
                      <RelativeTime at={time} />
                    </span>
                  </span>
                  <strong className="small number nowrap">{formatNumber(points, { signDisplay: 'always' })}</strong>
                </li>
              ))}
            </ol>
          </section>
        )}
        <section className="stack gap-2" aria-labelledby="team-history">
          <h3 id="team-history">{t('team.history')}</h3>
          {history.length === 0 ? (
            <EmptyState title={t('team.noSolves')}>{t('team.noSolvesText')}</EmptyState>
          ) : (
            <ol className={cx('frame divided', styles.history)}>
              {history.map((entry) => {
                const Icon = categoryIcons[entry.category]
                return (
                  <li key={entry.id} className="line gap-3">
                    <span data-category={entry.category} className={styles.icon}>
                      <Icon role="img" aria-label={entry.category} />
                    </span>
                    <span className="stack gap-0 grow tight">
                      <bdi className="truncate">{entry.title}</bdi>
                      <span className="truncate small faint">
                        {entry.userName && <bdi>{entry.userName} · </bdi>}
                        <RelativeTime at={entry.time} />
                      </span>
                    </span>
                    {entry.place && <BloodMark size={18} place={entry.place} label={t(`blood.${entry.type as 'FirstBlood'}`)} />}
                    <strong className="small number nowrap">
                      {t('points', { count: entry.score, value: formatNumber(entry.score) })}
                    </strong>
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
