import type { GameDetail } from '@capstan/contract/games'
import { operations, ownOperations } from '@capstan/contract/operations'
import { availablePoints } from '@capstan/contract/score'
import type { BoardChallenge, ScoreboardTeam } from '@capstan/contract/scoreboard'
import { Award, Download } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { CapstanLogo } from '../../components/mark.tsx'
import { TeamLink } from '../../components/team-link.tsx'
import { Avatar } from '../../components/ui/avatar.tsx'
import { BloodMark } from '../../components/ui/blood-mark.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { cx } from '../../components/ui/cx.ts'
import { DownloadButton } from '../../components/ui/download-link.tsx'
import { NamedValue, NamedValueList } from '../../components/ui/facts.tsx'
import { useAction } from '../../components/ui/form.ts'
import { ShareBar } from '../../components/ui/share-bar.tsx'
import { Skeleton } from '../../components/ui/skeleton.tsx'
import { ErrorState, ErrorText } from '../../components/ui/states.tsx'
import { Table, tableEnd } from '../../components/ui/table.tsx'
import { saveBlob } from '../../lib/download.ts'
import { formatNumber } from '../../lib/format.ts'
import { useChallengeMarks, useLeadingBoard, useScoreboard } from '../../lib/game.ts'
import { addressOfCall, call } from '../../lib/http.ts'
import { paths } from '../../lib/paths.ts'
import { createProgressPath, summarizeResults } from './game-results.ts'
import styles from './results.module.css'
import { createResultsCsv } from './results-file.ts'
import { writeupAnchor } from './writeup-anchor.ts'

type ResultsProps = Readonly<{
  game: GameDetail
  /** True if the page has a section for the team's writeup. */
  hasWriteup: boolean
}>

/** Reads the leading teams of a finished game. If the user's team is not among the leading teams, it reads all teams. */
function useFinalBoard(gameId: number, ownName: string | undefined) {
  const leading = useLeadingBoard(gameId)
  const isOwnMissing = ownName !== undefined && leading.data?.items.every(({ name }) => name !== ownName)
  // The results no longer change, so do not refresh them.
  const full = useScoreboard(leading.error || isOwnMissing ? gameId : undefined, { refreshInterval: 0 })
  return {
    board: full.data ?? leading.data,
    teamCount: full.data?.items.length ?? leading.data?.teamCount ?? 0,
    error: full.error,
    retry: () => void full.mutate(),
  }
}

/** Results of a finished game: winners, the user's team and the challenges. */
export function FinishedGameResults({ game, hasWriteup }: ResultsProps) {
  const { t } = useTranslation(['results', 'common'])
  const ownName = game.status === 'Accepted' ? (game.teamName ?? undefined) : undefined
  const { board, teamCount, error, retry } = useFinalBoard(game.id, ownName)
  const save = useAction(async () => {
    const { items } = await call(operations.getScoreboard, { params: { id: game.id } })
    const headings = [t('results:rank'), t('results:team'), t('results:score'), t('results:solved')]
    saveBlob(createResultsCsv(headings, items), `${game.title}.csv`)
  })
  const results = useMemo(() => board && summarizeResults(board, ownName), [board, ownName])
  return (
    <Card
      title={t('results:title')}
      actions={
        <span className="row gap-2">
          <Button size="small" busy={save.busy} onClick={() => void save.run()}>
            <Download aria-hidden />
            {t('results:save')}
          </Button>
          <Link to={paths.scoreboard.to(game.id)}>{t('common:game.scoreboard')}</Link>
        </span>
      }
    >
      {save.error !== undefined && (
        <p role="alert">
          <ErrorText error={save.error} />
        </p>
      )}
      {!results && (error ? <ErrorState error={error} onRetry={retry} /> : <Skeleton height="400px" />)}
      {results && board && (
        <div className="stack gap-8">
          {results.podium.length === 0 ? (
            <p className="muted">{t('results:none')}</p>
          ) : (
            <Podium gameId={game.id} teams={results.podium} />
          )}
          {(results.own || results.bloods.length > 0) && (
            <div className="pair">
              {results.own && (
                <Own team={results.own} game={game} teams={teamCount} challenges={board.challengeCount}>
                  {game.certificates && <CertificateButtons gameId={game.id} />}
                  {hasWriteup && <a href={`#${writeupAnchor}`}>{t('results:writeup')}</a>}
                </Own>
              )}
              {results.bloods.length > 0 && (
                <section className="stack gap-2">
                  <h3>{t('results:bloods')}</h3>
                  <ol className={cx('stack gap-2', styles.bloods)}>
                    {results.bloods.map(({ id, name, count }) => (
                      <li key={id} className="line leads">
                        <BloodMark place={1} />
                        <span className="truncate">
                          <TeamLink gameId={game.id} team={{ id, name }} />
                        </span>
                        <b className="end number">{formatNumber(count)}</b>
                      </li>
                    ))}
                  </ol>
                </section>
              )}
            </div>
          )}
          {results.challenges.length > 0 && <Statistics gameId={game.id} challenges={results.challenges} teams={teamCount} />}
        </div>
      )}
    </Card>
  )
}

function Podium({ gameId, teams }: Readonly<{ gameId: number; teams: readonly ScoreboardTeam[] }>) {
  const { t } = useTranslation('results')
  return (
    <ol className={styles.podium} aria-label={t('podium')}>
      {teams.map(({ id, name, avatar, rank, score }) => (
        <li key={id} className="stack gap-1 centered small number leads" data-place={rank}>
          <span className={styles.laurel}>
            <CapstanLogo size={rank === 1 ? 104 : 84} />
            <Avatar team name={name} src={avatar} size={rank === 1 ? 48 : 40} />
          </span>
          <strong className={cx('clamp tight wrap-anywhere', styles.winner)} title={name}>
            <TeamLink gameId={gameId} team={{ id, name }} />
          </strong>
          <span className="muted">{t('points', { count: score })}</span>
          <span className={cx('figure size-32', styles.step)}>{formatNumber(rank)}</span>
        </li>
      ))}
    </ol>
  )
}

type OwnProps = Readonly<{
  team: ScoreboardTeam
  game: GameDetail
  teams: number
  challenges: number
  children: ReactNode
}>

function Own({ team, game, teams, challenges, children }: OwnProps) {
  const { t } = useTranslation('results')
  return (
    <section className="stack gap-2">
      <h3>{t('own')}</h3>
      <NamedValueList kind="figures">
        <NamedValue name={t('rank')}>
          {team.rank > 0 ? t('of', { part: formatNumber(team.rank), total: formatNumber(teams) }) : '–'}
        </NamedValue>
        <NamedValue name={t('score')}>{formatNumber(team.score)}</NamedValue>
        <NamedValue name={t('solved')}>
          {t('of', { part: formatNumber(team.solvedCount), total: formatNumber(challenges) })}
        </NamedValue>
      </NamedValueList>
      {team.solvedChallenges.length > 0 && (
        <svg className={styles.progress} viewBox="0 -4 100 108" preserveAspectRatio="none" role="img" aria-label={t('progress')}>
          <path d={createProgressPath(team, game.start, game.end)} />
        </svg>
      )}
      {children}
    </section>
  )
}

function CertificateButtons({ gameId }: { readonly gameId: number }) {
  const { t } = useTranslation('results')
  const certificate = (team: boolean) =>
    addressOfCall(ownOperations.downloadOwnCertificate, { params: { id: gameId }, query: { team } })
  return (
    <div className="row gap-2">
      <DownloadButton size="small" href={certificate(false)}>
        <Award aria-hidden />
        {t('certificate')}
      </DownloadButton>
      <DownloadButton size="small" href={certificate(true)}>
        <Award aria-hidden />
        {t('teamCertificate')}
      </DownloadButton>
    </div>
  )
}

const firstRows = 10

type StatisticsProps = Readonly<{
  gameId: number
  challenges: readonly BoardChallenge[]
  teams: number
}>

function Statistics({ gameId, challenges, teams }: StatisticsProps) {
  const { t } = useTranslation(['results', 'challenges'])
  const [showsAll, setShowsAll] = useState(false)
  const { data: marks } = useChallengeMarks(gameId)
  const difficulties = new Map(marks?.map(({ id, difficulty }) => [id, difficulty]))
  const kindOf = ({ id, category }: BoardChallenge) => {
    const difficulty = difficulties.get(id)
    return difficulty ? `${category} · ${t(`challenges:difficulty.${difficulty}`)}` : category
  }
  return (
    <section className="stack gap-2">
      <h3>{t('results:statistics')}</h3>
      <Table dense label={t('results:statistics')} className={styles.statistics}>
        <thead>
          <tr>
            <th scope="col">{t('results:column.challenge')}</th>
            <th scope="col" className={tableEnd}>
              {t('results:column.points')}
            </th>
            <th scope="col">{t('results:column.solves')}</th>
            <th scope="col">{t('results:column.first')}</th>
          </tr>
        </thead>
        <tbody>
          {(showsAll ? challenges : challenges.slice(0, firstRows)).map((challenge) => (
            <tr key={challenge.id}>
              <th scope="row">
                <bdi>{challenge.title}</bdi> <span className="faint">{kindOf(challenge)}</span>
              </th>
              <td className={tableEnd}>{formatNumber(availablePoints(challenge))}</td>
              <td>
                <span className={cx('number', styles.share)}>
                  <span>{formatNumber(challenge.solved)}</span>
                  <ShareBar share={challenge.solved / Math.max(1, teams)} />
                </span>
              </td>
              <td className={cx(styles.first, 'leads')}>
                {challenge.bloods[0] ? (
                  <TeamLink gameId={gameId} team={challenge.bloods[0]} />
                ) : (
                  <span className="faint">{t('results:unsolved')}</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      {!showsAll && challenges.length > firstRows && (
        <div>
          <Button size="small" onClick={() => setShowsAll(true)}>
            {t('results:all', { count: challenges.length })}
          </Button>
        </div>
      )}
    </section>
  )
}
