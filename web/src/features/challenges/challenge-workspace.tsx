import type { ChallengeView } from '@capstan/contract/challenges'
import type { GameDetail } from '@capstan/contract/games'
import type { GamePhase } from '@capstan/contract/phases'
import type { PlayerBoard } from '@capstan/contract/scoreboard'
import { type RefObject, useEffect, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { ChallengeInstance } from '../../components/instances/challenge-instance.tsx'
import { Markdown } from '../../components/ui/markdown.tsx'
import { SkeletonLines } from '../../components/ui/skeleton.tsx'
import { useScoreboard } from '../../lib/game.ts'
import { Attachment } from './attachment.tsx'
import { solversOf, solvesOf } from './board.ts'
import styles from './dialog.module.css'
import { useFlagDrafts } from './flag-drafts.ts'
import { FlagForm } from './flag-form.tsx'
import { Hints } from './hints.tsx'
import { Solvers } from './solvers.tsx'
import { useFlag } from './use-flag.ts'

interface ChallengeWorkspaceProps {
  readonly game: GameDetail
  readonly phase: GamePhase
  readonly board: PlayerBoard
  readonly view: ChallengeView
  readonly flag: RefObject<HTMLInputElement | null>
}

/** What a player reads and does: description; instance, file, hints, flag, solvers. */
export function ChallengeWorkspace({ game, phase, board, view, flag }: ChallengeWorkspaceProps) {
  const { t } = useTranslation('challenges')
  const { data: scoreboard } = useScoreboard(game.id)
  const solvers = useMemo(() => scoreboard && solversOf(scoreboard, view.id), [scoreboard, view.id])
  const ownSolve = useMemo(() => solvesOf(board).get(view.id), [board, view.id])
  const draft = useFlagDrafts((state) => state.drafts[view.id] ?? '')
  const write = useFlagDrafts((state) => state.write)
  const isOver = phase === 'ended'
  const { answer, submit, forget } = useFlag({ gameId: game.id, challengeId: view.id, board, isScored: !isOver })
  const isContainer = view.type === 'StaticContainer' || view.type === 'DynamicContainer'

  const isRight = answer.kind === 'right'
  useEffect(() => {
    if (isRight) write(view.id, '')
  }, [isRight, view.id, write])

  return (
    <div className={styles.body}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section aria-label={t('dialog.description')} className={styles.text} tabIndex={0}>
        {view.content.trim() === '' ? <p className="muted">{t('dialog.noDescription')}</p> : <Markdown source={view.content} />}
      </section>
      <div className={styles.side}>
        {isContainer && <ChallengeInstance gameId={game.id} challenge={view} />}
        {view.context.url && <Attachment url={view.context.url} size={view.context.fileSize} />}
        <Hints hints={view.hints ?? []} />
        <FlagForm
          value={draft}
          onValueChange={(value) => {
            write(view.id, value)
            forget()
          }}
          answer={answer}
          isOver={isOver}
          input={flag}
          onSubmit={(text) => void submit(text)}
        />
        {solvers ? <Solvers solvers={solvers} ownTeamId={board.rank?.id} ownSolve={ownSolve} /> : <SkeletonLines />}
      </div>
    </div>
  )
}
