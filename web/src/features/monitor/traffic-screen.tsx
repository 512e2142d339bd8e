import type { CapturedChallenge, CapturedTeam, CaptureHealth } from '@capstan/contract/captures'
import { operations } from '@capstan/contract/operations'
import { ArrowLeft, Cable, MousePointerClick, RadioTower, Waypoints } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Avatar } from '../../components/ui/avatar.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { categoryIcons } from '../../components/ui/category.tsx'
import { SearchInput } from '../../components/ui/input.tsx'
import { Pagination } from '../../components/ui/pagination.tsx'
import { SkeletonLines } from '../../components/ui/skeleton.tsx'
import { EmptyState, ErrorState } from '../../components/ui/states.tsx'
import { ApiError } from '../../lib/http.ts'
import { useQueryState } from '../../lib/query-state.ts'
import { useCall } from '../../lib/server-state.ts'
import { RecordedConnectionList } from './capture-files.tsx'
import styles from './traffic.module.css'

type TrafficScreenProps = Readonly<{
  gameId: number
  challenges: readonly CapturedChallenge[]
  /** State of the recorder. Undefined before the first response. */
  recorder: CaptureHealth['recorder'] | undefined
}>

/** Recorded traffic in three columns: challenge, team and files. The address stores the selection. */
export function TrafficScreen({ gameId, challenges, recorder }: TrafficScreenProps) {
  const { t } = useTranslation('monitor')
  const { get, set } = useQueryState()
  const challenge = challenges.find(({ id }) => String(id) === get('challenge'))
  const teamId = Number(get('team')) || undefined
  const step = challenge ? (teamId ? 'files' : 'teams') : 'challenges'
  const panes = useFocusInSight(step)
  if (challenges.length === 0)
    return (
      <EmptyState icon={RadioTower} title={t('capture.emptyTitle')}>
        {t(recorder === undefined || recorder === 'Available' ? 'capture.emptyText' : `recorder.off.${recorder}`)}
      </EmptyState>
    )
  return (
    <div ref={panes} className={styles.panes} data-step={step}>
      <Pane step="challenges" title={t('capture.challenges')}>
        <ul className={styles.list}>
          {challenges.map((each) => (
            <li key={each.id}>
              <ChallengeChoice
                challenge={each}
                isChosen={each.id === challenge?.id}
                onChoose={() => set({ challenge: String(each.id), team: undefined })}
              />
            </li>
          ))}
        </ul>
      </Pane>
      <Pane
        step="teams"
        title={t('capture.teams')}
        {...(challenge && {
          back: { label: t('capture.challenges'), run: () => set({ challenge: undefined, team: undefined }) },
        })}
      >
        {challenge ? (
          <Teams key={challenge.id} challenge={challenge} chosenId={teamId} onChoose={(id) => set({ team: String(id) })} />
        ) : (
          <EmptyState icon={MousePointerClick} title={t('capture.pickChallenge')}>
            {t('capture.pickChallengeText')}
          </EmptyState>
        )}
      </Pane>
      <Pane
        step="files"
        title={t('capture.files')}
        {...(teamId && challenge && { back: { label: challenge.title, run: () => set({ team: undefined }) } })}
      >
        {challenge && teamId ? (
          <div className="stack">
            <RecordedConnectionList
              key={`${challenge.id} ${teamId}`}
              gameId={gameId}
              challenge={challenge}
              participationId={teamId}
            />
            <div className="row">
              <Button size="small" variant="ghost" onClick={() => set({ view: 'connections' })}>
                <Cable aria-hidden />
                {t('connection.ofTeam')}
              </Button>
            </div>
          </div>
        ) : (
          <EmptyState icon={MousePointerClick} title={t('capture.pickTeam')}>
            {t('capture.pickTeamText')}
          </EmptyState>
        )}
      </Pane>
    </div>
  )
}

/** Moves the focus to the next step if the focused element was hidden together with the previous step. */
function useFocusInSight(step: string) {
  const panes = useRef<HTMLDivElement>(null)
  const before = useRef(step)
  useEffect(() => {
    if (before.current === step) return
    before.current = step
    const focused = document.activeElement
    if (!focused || focused === document.body || focused.getClientRects().length === 0)
      panes.current?.querySelector<HTMLElement>(`[data-pane=${step}]`)?.focus()
  }, [step])
  return panes
}

type PaneProps = Readonly<{
  step: 'challenges' | 'teams' | 'files'
  title: string
  /** Link to the previous step. Undefined for the first step. If the screen has room for both steps, the link is hidden. */
  back?: Readonly<{ label: string; run: () => void }>
  children: ReactNode
}>

function Pane({ step, title, back, children }: PaneProps) {
  const { t } = useTranslation('monitor')
  return (
    <section className="frame padded" data-pane={step} aria-label={title} tabIndex={-1}>
      {back && (
        <Button variant="ghost" size="small" className={styles.back} onClick={back.run}>
          <ArrowLeft aria-hidden />
          {t('capture.back', { name: back.label })}
        </Button>
      )}
      <h2 className="muted small below-4">{title}</h2>
      {children}
    </section>
  )
}

type ChallengeChoiceProps = Readonly<{
  challenge: CapturedChallenge
  isChosen: boolean
  onChoose: () => void
}>

function ChallengeChoice({ challenge, isChosen, onChoose }: ChallengeChoiceProps) {
  const { t } = useTranslation('monitor')
  const Icon = categoryIcons[challenge.category]
  return (
    <button
      type="button"
      className="line gap-3 option"
      aria-pressed={isChosen}
      data-category={challenge.category}
      onClick={onChoose}
    >
      <Icon aria-hidden className={styles.category} />
      <span className="grow wrap-anywhere clamp" title={challenge.title}>
        <bdi>{challenge.title}</bdi>
      </span>
      {!challenge.isEnabled && <Badge>{t('capture.disabled')}</Badge>}
      <span className="small muted number nowrap">{t('capture.teamCount', { count: challenge.count })}</span>
    </button>
  )
}

const teamPage = 50

type TeamsProps = Readonly<{
  challenge: CapturedChallenge
  chosenId: number | undefined
  onChoose: (participationId: number) => void
}>

function Teams({ challenge, chosenId, onChoose }: TeamsProps) {
  const { t } = useTranslation('monitor')
  const { data, error, mutate } = useCall(operations.listCapturedTeams, { params: { cid: challenge.id } })
  // The server responds with 404 for a challenge that has no recordings.
  const isNone = data?.length === 0 || (error instanceof ApiError && error.httpStatus === 404)
  if (isNone)
    return (
      <EmptyState icon={Waypoints} title={t('capture.noTeams')}>
        {t('capture.noTeamsText')}
      </EmptyState>
    )
  if (!data) return error ? <ErrorState error={error} onRetry={() => mutate()} /> : <SkeletonLines count={5} />
  return <TeamPages teams={data} chosenId={chosenId} onChoose={onChoose} />
}

type TeamPagesProps = Pick<TeamsProps, 'chosenId' | 'onChoose'> &
  Readonly<{
    teams: readonly CapturedTeam[]
  }>

function TeamPages({ teams, chosenId, onChoose }: TeamPagesProps) {
  const { t } = useTranslation('monitor')
  const [search, setSearch] = useState('')
  const [page, setPage] = useState(() => {
    const at = teams.findIndex(({ id }) => id === chosenId)
    return Math.max(0, Math.floor(at / teamPage))
  })
  const text = search.trim().toLowerCase()
  const matching = teams.filter(({ name }) => name?.toLowerCase().includes(text))
  const current = Math.min(page, Math.max(0, Math.ceil(matching.length / teamPage) - 1))
  const shown = matching.slice(current * teamPage, (current + 1) * teamPage)
  return (
    <div className="stack">
      {teams.length > teamPage && (
        <SearchInput
          label={t('capture.searchTeams')}
          value={search}
          onValueChange={(typed) => {
            setSearch(typed)
            setPage(0)
          }}
        />
      )}
      {shown.length === 0 && <p className="muted">{t('capture.noTeamFound')}</p>}
      <ul className={styles.list}>
        {shown.map((team) => (
          <li key={team.id}>
            <TeamChoice team={team} isChosen={team.id === chosenId} onChoose={() => onChoose(team.id)} />
          </li>
        ))}
      </ul>
      {matching.length > teamPage && (
        <Pagination page={current} pageSize={teamPage} total={matching.length} itemsShown={shown.length} onPageChange={setPage} />
      )}
    </div>
  )
}

type TeamChoiceProps = Readonly<{
  team: CapturedTeam
  isChosen: boolean
  onChoose: () => void
}>

function TeamChoice({ team, isChosen, onChoose }: TeamChoiceProps) {
  const { t } = useTranslation('monitor')
  return (
    <button type="button" className="line gap-3 option" aria-pressed={isChosen} onClick={onChoose}>
      <Avatar team name={team.name} src={team.avatar} size={24} />
      <bdi className="grow wrap-anywhere">{team.name}</bdi>
      {team.organization && (
        <Badge>
          <bdi>{team.organization}</bdi>
        </Badge>
      )}
      <span className="small muted number nowrap">{t('capture.fileCount', { count: team.count })}</span>
    </button>
  )
}
