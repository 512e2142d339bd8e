import type { ChallengeLabels } from '@capstan/contract/challenge-labels'
import type { ChallengeView } from '@capstan/contract/challenges'
import type { GameDetail } from '@capstan/contract/games'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { GamePhase } from '@capstan/contract/phases'
import type { PlayerBoard } from '@capstan/contract/scoreboard'
import { LifeBuoy } from 'lucide-react'
import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { ChallengeInstance } from '../../components/instances/challenge-instance.tsx'
import { ButtonLink } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Markdown, preloadMarkdown } from '../../components/ui/markdown.tsx'
import { SkeletonLines } from '../../components/ui/skeleton.tsx'
import { type FlagAnswer, findGainedPoints } from '../../lib/flag-answer.ts'
import { paths } from '../../lib/paths.ts'
import { useCall } from '../../lib/server-state.ts'
import { useSession } from '../../lib/session.ts'
import { keyOfFlagDraft, typeAhead } from '../../lib/type-ahead.ts'
import { useFlagDrafts } from '../../stores/flag-drafts.ts'
import { dropFinalFlagResult, registerResultView, submitFlag, useFlagSubmissions } from '../../stores/flag-submissions.ts'
import { Attachment } from './attachment.tsx'
import { AttemptList } from './attempts.tsx'
import { mapOwnSolvesById } from './board.ts'
import { ChallengeLabelList, useIsDeadlinePassed } from './challenge-facts.tsx'
import styles from './dialog.module.css'
import { FlagForm } from './flag-form.tsx'
import { FlagPartList } from './flag-parts.tsx'
import { ContinueButton, SolvedPanel } from './solved.tsx'
import { LatestSolvers } from './solvers.tsx'
import { TeamHints } from './team-hints.tsx'

type ChallengeWorkspaceProps = Readonly<{
  game: GameDetail
  phase: GamePhase
  board: PlayerBoard
  id: number
  title: string
  view: ChallengeView | undefined
  labels: ChallengeLabels | undefined
  /** True if the player solved the challenge after the end of the game. */
  isPracticed?: boolean
  /** Opens the next unsolved challenge. Undefined if there is none. */
  onNextUnsolved: (() => void) | undefined
  onStep: (by: 1 | -1) => void
  onClose: () => void
}>

/** Interval at which the board is read until it contains a new solve, in ms. */
const missingSolveMs = 1_000

const noAnswer: FlagAnswer = { kind: 'none' }

/** Content of a challenge: description, instance, file, hints, flag and solvers. */
export function ChallengeWorkspace(props: ChallengeWorkspaceProps) {
  const { t } = useTranslation('challenges')
  const { game, phase, board, id, title, view, labels, isPracticed, onNextUnsolved, onStep, onClose } = props
  const userId = useSession().profile?.userId ?? ''
  const solvers = useCall(ownOperations.getChallengeSolvers, { params: { id: game.id, cid: id } })
  const draft = useFlagDrafts((state) => state.drafts[id] ?? '')
  const write = useFlagDrafts((state) => state.write)
  const answer = useFlagSubmissions((state) => state.results[id]?.answer ?? noAnswer)
  const shownSolve = useMemo(() => mapOwnSolvesById(board).get(id), [board, id])
  const ownSolve = shownSolve ?? findGainedPoints(answer)?.solve
  // The board may not contain a new solve yet. Read the board repeatedly until it contains the solve.
  const isBehind = ownSolve !== undefined && !shownSolve
  useCall(operations.getPlayerBoard, isBehind ? { params: { id: game.id } } : null, { refreshInterval: missingSolveMs })
  const flag = useRef<HTMLInputElement>(null)
  const isOver = phase === 'ended'
  const shown = Object.values(board.challenges)
    .flat()
    .find((challenge) => challenge.id === id)
  const askTo = paths.tickets.to(game.id, 'new', id)
  const isClosed = useIsDeadlinePassed(shown?.deadline)
  const isContainer = view?.type === 'StaticContainer' || view?.type === 'DynamicContainer'
  // Until the player types a flag, only the instance has a primary button.
  const isInstanceFirst = isContainer && !ownSolve && !isPracticed && draft.trim() === ''

  useEffect(() => registerResultView(id), [id])
  const isSolved = ownSolve !== undefined
  // Insert text that the player typed before this field existed. A ref callback would be too early.
  useEffect(() => {
    if (flag.current && !isSolved) return typeAhead.own(keyOfFlagDraft(id), flag.current)
    typeAhead.cancel()
    return undefined
  }, [id, isSolved])

  return (
    <ChallengeWorkspaceBody content={view?.content} labels={labels}>
      {!view && <SkeletonLines count={4} />}
      {view && isContainer && (
        <div data-aside={isInstanceFirst ? undefined : true}>
          <ChallengeInstance
            gameId={game.id}
            challenge={view}
            askLink={
              <Link to={askTo} className="small">
                {t('ask')}
              </Link>
            }
          />
        </div>
      )}
      {view?.context.url && <Attachment url={view.context.url} size={view.context.fileSize} />}
      {view && <TeamHints gameId={game.id} challenge={view} score={board.rank?.score ?? 0} />}
      {view && <FlagPartList parts={view.parts} />}
      {ownSolve ? (
        <SolvedPanel solve={ownSolve} answer={answer} rank={board.rank?.rank ?? 0} onNext={onNextUnsolved} onBoard={onClose} />
      ) : (
        <FlagForm
          value={draft}
          onValueChange={(value) => {
            write(id, value)
            dropFinalFlagResult(id)
          }}
          answer={answer}
          isOver={isOver}
          deadline={isOver ? null : (view?.deadline ?? null)}
          attemptsLeft={isOver || !view?.limit ? undefined : Math.max(0, view.limit - view.attempts)}
          nextAttemptAt={isOver ? null : (view?.nextAttemptAt ?? null)}
          isPrimary={!isInstanceFirst && !(isPracticed && draft.trim() === '')}
          input={flag}
          onStep={onStep}
          onSubmit={(text) => {
            const challenge = { gameId: game.id, gameEndsAt: Date.parse(game.end), challengeId: id, challengeTitle: title }
            submitFlag({ ...challenge, userId, isScored: !isOver, board }, text)
          }}
        />
      )}
      {isPracticed && !ownSolve && (
        <ContinueButton variant={draft.trim() === '' ? 'primary' : 'secondary'} onNext={onNextUnsolved} onBoard={onClose} />
      )}
      <AttemptList gameId={game.id} challengeId={id} />
      <ButtonLink size="small" variant="ghost" to={askTo}>
        <LifeBuoy aria-hidden />
        {t('ask')}
      </ButtonLink>
      {solvers.data && (
        <LatestSolvers
          {...solvers.data}
          gameId={game.id}
          challenge={{ id, title }}
          ownTeamId={board.rank?.id}
          isSolved={isSolved}
          hasOpenBlood={!isOver && !isClosed && shown?.disableBloodBonus !== true}
        />
      )}
      {!solvers.data && !solvers.error && <SkeletonLines />}
    </ChallengeWorkspaceBody>
  )
}

/** Maximum length of a description in a narrow dialog, in characters. A longer description gets a wide dialog. */
const shortText = 320

type WorkspaceBodyProps = Readonly<{
  /** Description in Markdown. Undefined while it loads. */
  content: string | undefined
  labels: ChallengeLabels | undefined
  /** Actions of the player. They are beside the description. */
  children: ReactNode
}>

export function ChallengeWorkspaceBody({ content, labels, children }: WorkspaceBodyProps) {
  const { t } = useTranslation('challenges')
  useEffect(preloadMarkdown, [])
  return (
    <div
      className={cx(styles.body, content === undefined && styles.coming)}
      data-short={(content !== undefined && content.length < shortText && !/!\[|\n```|\$\$/.test(content)) || undefined}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section aria-label={t('dialog.description')} className={styles.text} tabIndex={0}>
        <ChallengeLabelList labels={labels} />
        <Description content={content} />
      </section>
      <div className={cx('stack', styles.side)}>{children}</div>
    </div>
  )
}

function Description({ content }: Pick<WorkspaceBodyProps, 'content'>) {
  const { t } = useTranslation('challenges')
  if (content === undefined) return <SkeletonLines count={6} />
  return content.trim() === '' ? <p className="muted">{t('dialog.noDescription')}</p> : <Markdown source={content} />
}
