import type { BoardView } from '@capstan/contract/board-view'
import type { GameDetail } from '@capstan/contract/games'
import type { Scoreboard, ScoreboardTeam, SolvedChallenge } from '@capstan/contract/scoreboard'
import { ChevronDown, ListOrdered, SearchX } from 'lucide-react'
import { Suspense, useDeferredValue, useId, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type PastBoard, PastSlider } from '../../components/board/past-board.tsx'
import { Button, ButtonLink } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { SearchInput } from '../../components/ui/input.tsx'
import { createLazyComponent } from '../../components/ui/late.tsx'
import { EmptyState } from '../../components/ui/states.tsx'
import { SegmentedControl } from '../../components/ui/tabs.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { showErrorToast } from '../../components/ui/toast.ts'
import { formatDateTime, formatNumber } from '../../lib/format.ts'
import { problemKeys } from '../../lib/name-search.ts'
import { paths } from '../../lib/paths.ts'
import { useQueryState } from '../../lib/query-state.ts'
import { useMediaQuery } from '../../lib/use-media.ts'
import { useNameSearch } from '../../lib/use-name-search.ts'
import { resolveColorScheme, useColorScheme } from '../../stores/color-scheme.ts'
import { type Command, useCommands } from '../../stores/commands.ts'
import { MarkLegend } from './blood-tally.tsx'
import { useChartPreference } from './chart-preference.ts'
import styles from './scoreboard.module.css'
import {
  findDivision,
  getStanding,
  listBoardDivisions,
  listColumns,
  listTeamsOfDivision,
  listUnrankedTeams,
  overall,
  timeOfLastSolve,
} from './standings.ts'
import { StandingsGrid } from './standings-grid.tsx'
import { StandingsList } from './standings-list.tsx'
import { getTimelineSpan, timeOfFirstSolve, toChartLines } from './timeline.ts'
import { TimelineChart } from './timeline-chart.tsx'
import { TimelineTable } from './timeline-table.tsx'
import { BoardActions, DivisionSwitch } from './toolbar.tsx'
import { UnrankedTeams } from './unranked-teams.tsx'
import { useOwnTeam, useTeamsThatJustScored } from './use-board.ts'

const ProjectorMode = createLazyComponent({ load: () => import('./projector.tsx').then((file) => file.ProjectorView) })
const EmbedDialog = createLazyComponent({ load: () => import('./embed-dialog.tsx').then((file) => file.EmbedDialog) })
const TeamDialog = createLazyComponent({ load: () => import('./team-dialog.tsx').then((file) => file.TeamDialog) })

type ScoreboardScreenProps = Readonly<{
  game: GameDetail
  board: Scoreboard
  /** View that `board` shows: the live board, or the public board, which may be frozen. */
  view: BoardView
  teamCount: number
  past: PastBoard
  /** Solves of the user's team since the freeze. The board does not contain these solves. */
  ownLater?: readonly SolvedChallenge[] | undefined
  /** Current time in ms, rounded to half a minute. The lines of the chart end here. */
  now: number
}>

/** Possible heights of the chart without its toolbar, in pixels. The height `tall` has room for ten clickable labels. */
const chartHeights = { low: 170, tall: 250 } as const
const pictureRows = 50

function nameOf({ name }: ScoreboardTeam) {
  return name
}

/** Chart, search and standings of a loaded board. The address stores the division and the open team. */
export function ScoreboardContent(props: ScoreboardScreenProps) {
  const { game, board, view: boardView, teamCount, past, ownLater, now } = props
  const { t } = useTranslation(['scoreboard', 'common'])
  const { get, set } = useQueryState()
  const isPhone = useMediaQuery('(max-width: 640px)')
  const isTall = useMediaQuery('(min-height: 1000px)')
  const scheme = useColorScheme(resolveColorScheme)
  const division = findDivision(board, get('division'))
  const { isOpen, view, toggle, chooseView } = useChartPreference()
  const chartId = useId()
  const [text, setText] = useState('')
  const [projector, setProjector] = useState(false)
  const [isEmbedding, setEmbedding] = useState(false)

  const columns = useMemo(() => listColumns(board, division), [board, division])
  const teams = useMemo(() => listTeamsOfDivision(board, division), [board, division])
  const unranked = useMemo(() => (division === overall ? listUnrankedTeams(board) : []), [board, division])
  const wanted = useDeferredValue(text)
  const { found, problem } = useNameSearch(teams, nameOf, wanted)
  const { found: foundUnranked } = useNameSearch(unranked, nameOf, wanted)
  const lastSolve = useMemo(() => timeOfLastSolve(teams), [teams])
  const isComplete = board.items.length >= teamCount
  const total = isComplete ? teams.length : teamCount
  const risen = useTeamsThatJustScored(isComplete && !past.isOpen ? board : undefined)
  const { id: ownTeamId, isExpected } = useOwnTeam(game, board, isComplete)
  const isOwnExpected = isExpected && (division === overall || division === game.organization)
  const ownTeam = teams.find(({ id }) => id === ownTeamId)
  const { start, end } = game
  const timelines = board.timeLines[division]
  const firstSolve = useMemo(() => timeOfFirstSolve(timelines ?? []), [timelines])
  const span = useMemo(() => getTimelineSpan({ start, end }, now, firstSolve), [start, end, now, firstSolve])
  const lines = useMemo(() => toChartLines(timelines ?? [], span), [timelines, span])

  const hasPoints = lines.some(({ score }) => score > 0)

  const openTeam = useRef((teamId: number) => set({ team: String(teamId) }))
  openTeam.current = (teamId) => set({ team: String(teamId) })
  const open = useRef((teamId: number) => openTeam.current(teamId)).current
  const openedTeam = [...teams, ...unranked].find(({ id }) => String(id) === get('team'))

  const savePng = async () => {
    const { drawScoreboardPicture, downloadPicture } = await import('./picture.ts')
    const shown = found.slice(0, pictureRows)
    const canvas = drawScoreboardPicture({
      title: game.title,
      subtitle: t('picture.made', {
        date: formatDateTime(span.end),
        division: division === overall ? t('division.all') : division,
      }),
      scheme,
      lines: hasPoints ? lines : [],
      span,
      columns,
      standings: shown.map((team) => getStanding(team, division)),
      ownTeamId,
      headings: { rank: t('column.rank'), team: t('column.team'), solved: t('column.solved'), score: t('column.score') },
      more: found.length > shown.length ? t('picture.more', { value: formatNumber(found.length - shown.length) }) : undefined,
    })
    await downloadPicture(canvas, `${game.title} ${t('picture.file')}`)
  }
  const onPicture = () => void savePng().catch(showErrorToast)

  const commands = useMemo<readonly Command[]>(
    () => [{ id: 'projector', group: t('title'), label: t('projector.title'), run: () => setProjector(true) }],
    [t],
  )
  useCommands('scoreboard', commands)

  if (board.items.length === 0 && !past.isOpen)
    return (
      <EmptyState
        icon={ListOrdered}
        title={t('empty.title')}
        actions={<ButtonLink to={paths.game.to(game.id)}>{t('empty.join')}</ButtonLink>}
      >
        {t('empty.text')}
      </EmptyState>
    )

  const own = ownTeam && getStanding(ownTeam, division)
  const shared = { teams: found, division, own, isOwnExpected, risen, onOpen: open }
  const search = (
    <div className="line gap-2">
      <div className="grow">
        <SearchInput
          label={t('search.label')}
          placeholder={t('search.hint')}
          value={text}
          onValueChange={setText}
          error={problem && t(problemKeys[problem])}
        />
      </div>
      <span className="muted tiny number nowrap" role="status">
        {found.length === total
          ? t('search.found', { count: total, value: formatNumber(total) })
          : t('search.foundOf', { found: formatNumber(found.length), total: formatNumber(total) })}
      </span>
    </div>
  )
  const none = (
    <EmptyState
      icon={SearchX}
      title={t('search.none')}
      actions={<Button onClick={() => setText('')}>{t('search.clear')}</Button>}
    >
      {t('search.noneText', { text })}
    </EmptyState>
  )
  return (
    <div className="stack gap-2">
      <section className="frame" aria-label={t('chart.title')}>
        <div className={cx('row', styles.bar)}>
          <h2 className="size-14">
            <button type="button" className="folder" aria-expanded={isOpen} aria-controls={chartId} onClick={toggle}>
              <ChevronDown aria-hidden />
              {t('chart.title')}
            </button>
          </h2>
          {isOpen && hasPoints && (
            <SegmentedControl
              label={t('chart.view')}
              value={view}
              onValueChange={chooseView}
              options={[
                { value: 'chart', label: t('chart.chart') },
                { value: 'table', label: t('chart.asTable') },
              ]}
            />
          )}
          <DivisionSwitch
            divisions={listBoardDivisions(board)}
            division={division}
            onDivision={(next) => set({ division: next === overall ? undefined : next })}
          />
          <div className={styles.legend}>
            <MarkLegend />
          </div>
          <span className="grow" />
          <BoardActions
            gameId={game.id}
            onProjector={() => setProjector(true)}
            onPicture={onPicture}
            onEmbed={() => setEmbedding(true)}
            past={past}
          />
        </div>
        {past.isOpen && <PastSlider past={past} />}
        <div id={chartId} className={styles.chart} data-view={hasPoints ? view : 'none'} hidden={!isOpen}>
          {hasPoints && view === 'chart' && lastSolve !== undefined && (
            <p className={cx('muted tiny', styles.lastSolve)}>
              {t('lastSolve')} <RelativeTime at={lastSolve} />
            </p>
          )}
          {!hasPoints && <p className={cx('muted', styles.noSolves)}>{t('chart.noSolves')}</p>}
          {isOpen && hasPoints && view === 'chart' && (
            <TimelineChart
              lines={lines}
              span={span}
              ownTeamId={ownTeamId}
              height={chartHeights[isTall ? 'tall' : 'low']}
              // On phones the labels are too small to touch, so a touch does not open a team. The list below the chart opens the
              // same teams.
              {...(!isPhone && { onSelect: open })}
            />
          )}
          {isOpen && hasPoints && view === 'table' && <TimelineTable lines={lines} span={span} />}
        </div>
      </section>

      <section className="stack gap-3" aria-label={t('table')} hidden={teams.length === 0}>
        {isPhone ? (
          <>
            {search}
            {found.length === 0 ? none : <StandingsList {...shared} total={columns.length} />}
          </>
        ) : (
          <StandingsGrid {...shared} ownLater={ownLater} columns={columns} corner={search} empty={none} />
        )}
      </section>
      <UnrankedTeams teams={foundUnranked} total={columns.length} ownTeamId={ownTeamId} onOpen={open} />

      <Suspense>
        {openedTeam && (
          <TeamDialog
            gameId={game.id}
            team={openedTeam}
            division={division}
            columns={columns}
            isOwn={openedTeam.id === ownTeamId}
            onClose={() => set({ team: undefined })}
          />
        )}
        {isEmbedding && <EmbedDialog game={game} teamId={ownTeamId} onClose={() => setEmbedding(false)} />}
        {projector && (
          <ProjectorMode
            game={game}
            // The projector shows only the public board, because players may be in the room.
            board={boardView === 'public' ? board : undefined}
            division={division}
            now={now}
            onClose={() => setProjector(false)}
          />
        )}
      </Suspense>
    </div>
  )
}
