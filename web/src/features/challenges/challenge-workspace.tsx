import type { ChallengeLabels } from '@capstan/contract/challenge-labels'
import type { ChallengeView } from '@capstan/contract/challenges'
import type { GameDetail } from '@capstan/contract/games'
import { ownOperations } from '@capstan/contract/operations'
import type { GamePhase } from '@capstan/contract/phases'
import type { PlayerBoard } from '@capstan/contract/scoreboard'
import { type ReactNode, type RefObject, useEffect, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { ChallengeInstance } from '../../components/instances/challenge-instance.tsx'
import { Markdown } from '../../components/ui/markdown.tsx'
import { SkeletonLines } from '../../components/ui/skeleton.tsx'
import { useCall } from '../../lib/server-state.ts'
import { Attachment } from './attachment.tsx'
import { solvesOf } from './board.ts'
import { Labels } from './challenge-facts.tsx'
import styles from './dialog.module.css'
import { useFlagDrafts } from './flag-drafts.ts'
import { FlagForm } from './flag-form.tsx'
import { Hints } from './hints.tsx'
import { Solved } from './solved.tsx'
import { Solvers } from './solvers.tsx'
import { useFlag } from './use-flag.ts'

interface ChallengeWorkspaceProps {
  readonly game: GameDetail
  readonly phase: GamePhase
  readonly board: PlayerBoard
  readonly view: ChallengeView
  readonly labels: ChallengeLabels | undefined
  readonly flag: RefObject<HTMLInputElement | null>
  /** Goes to a challenge that is still to be solved; undefined: there is none. */
  readonly onNextUnsolved: (() => void) | undefined
  readonly onClose: () => void
}

/** What a player reads and does: description; instance, file, hints, flag, solvers. */
export function ChallengeWorkspace({ game, phase, board, view, labels, flag, onNextUnsolved, onClose }: ChallengeWorkspaceProps) {
  const solvers = useCall(ownOperations.getChallengeSolvers, { params: { id: game.id, cid: view.id } })
  const ownSolve = useMemo(() => solvesOf(board).get(view.id), [board, view.id])
  const draft = useFlagDrafts((state) => state.drafts[view.id] ?? '')
  const write = useFlagDrafts((state) => state.write)
  const isOver = phase === 'ended'
  const { answer, submit, forget } = useFlag({ gameId: game.id, challengeId: view.id, board, isScored: !isOver })
  const isContainer = view.type === 'StaticContainer' || view.type === 'DynamicContainer'
  // One primary action at a time: the instance's until something is typed, then the flag's, then the way on.
  const isInstanceFirst = isContainer && !ownSolve && draft.trim() === ''

  const isRight = answer.kind === 'right'
  useEffect(() => {
    if (isRight) write(view.id, '')
  }, [isRight, view.id, write])

  return (
    <WorkspaceBody content={view.content} labels={labels}>
      {isContainer && (
        <div data-aside={isInstanceFirst ? undefined : true}>
          <ChallengeInstance gameId={game.id} challenge={view} />
        </div>
      )}
      {view.context.url && <Attachment url={view.context.url} size={view.context.fileSize} />}
      <Hints hints={view.hints ?? []} />
      {ownSolve ? (
        <Solved solve={ownSolve} answer={answer} onNext={onNextUnsolved} onBoard={onClose} />
      ) : (
        <FlagForm
          value={draft}
          onValueChange={(value) => {
            write(view.id, value)
            forget()
          }}
          answer={answer}
          isOver={isOver}
          isPrimary={!isInstanceFirst}
          input={flag}
          onSubmit={(text) => void submit(text)}
        />
      )}
      {solvers.data && <Solvers {...solvers.data} ownTeamId={board.rank?.id} isSolved={ownSolve !== undefined} />}
      {!solvers.data && !solvers.error && <SkeletonLines />}
    </WorkspaceBody>
  )
}

/** Below so many letters a text has room in a narrow dialog. */
const shortText = 320

interface WorkspaceBodyProps {
  /** Markdown. */
  readonly content: string
  readonly labels: ChallengeLabels | undefined
  /** Beside it: what a player does. */
  readonly children: ReactNode
}

export function WorkspaceBody({ content, labels, children }: WorkspaceBodyProps) {
  const { t } = useTranslation('challenges')
  return (
    <div className={styles.body} data-short={content.length < shortText && !/!\[|\n```|\$\$/.test(content) ? true : undefined}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section aria-label={t('dialog.description')} className={styles.text} tabIndex={0}>
        <Labels labels={labels} />
        {content.trim() === '' ? <p className="muted">{t('dialog.noDescription')}</p> : <Markdown source={content} />}
      </section>
      <div className={styles.side}>{children}</div>
    </div>
  )
}
