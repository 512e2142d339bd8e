import type { GameDetail } from '@capstan/contract/games'
import { operations, ownOperations } from '@capstan/contract/operations'
import { registrationState } from '@capstan/contract/registration'
import { hasRole } from '@capstan/contract/roles'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { PageLayout } from '../../components/layout/page.tsx'
import { cx } from '../../components/ui/cx.ts'
import { createLazyComponent } from '../../components/ui/late.tsx'
import { Markdown } from '../../components/ui/markdown.tsx'
import { Skeleton, SkeletonLines } from '../../components/ui/skeleton.tsx'
import { useNow } from '../../components/ui/time.tsx'
import { AnswersNote } from '../../features/game-overview/answers-note.tsx'
import { GameKeyData } from '../../features/game-overview/facts.tsx'
import { GameHero } from '../../features/game-overview/hero.tsx'
import type { JoinDraft } from '../../features/game-overview/join-request.ts'
import { determineNextStep } from '../../features/game-overview/next-step.ts'
import { NextStepBar } from '../../features/game-overview/next-step-bar.tsx'
import styles from '../../features/game-overview/overview.module.css'
import { resultsAnchor, writeupAnchor } from '../../features/game-overview/writeup-anchor.ts'
import { areChallengesViewable, phaseOfGame, useGame, useGameId, usePlayerBoard } from '../../lib/game.ts'
import { loadTextsOfAreas } from '../../lib/i18n.ts'
import { loadApplicationFile } from '../../lib/load-file.ts'
import { useCall } from '../../lib/server-state.ts'
import { useSession } from '../../lib/session.ts'

/** Dialogs of this page. Each loads together with its texts. */
const JoinDialog = createLazyComponent({
  load: async () => {
    const [file] = await Promise.all([import('../../features/game-overview/join-dialog.tsx'), loadTextsOfAreas(['joining'])])
    return file.JoinGameDialog
  },
})
const AnswersDialog = createLazyComponent({
  load: async () => {
    const [file] = await Promise.all([import('../../features/game-overview/answers-dialog.tsx'), loadTextsOfAreas(['joining'])])
    return file.AnswersDialog
  },
})
const LeaveDialog = createLazyComponent({
  load: async () => {
    const [file] = await Promise.all([import('../../features/game-overview/leave-dialog.tsx'), loadTextsOfAreas(['joining'])])
    return file.LeaveGameDialog
  },
})

const Results = lazy(async () => {
  const [file] = await Promise.all([
    loadApplicationFile(() => import('../../features/game-overview/results.tsx')),
    loadTextsOfAreas(['results']),
  ])
  return { default: file.FinishedGameResults }
})

const Survey = lazy(async () => {
  const [file] = await Promise.all([
    loadApplicationFile(() => import('../../features/game-overview/survey.tsx')),
    loadTextsOfAreas(['survey']),
  ])
  return { default: file.SurveyCard }
})

const Writeup = lazy(async () => {
  const [file] = await Promise.all([
    loadApplicationFile(() => import('../../features/game-overview/writeup.tsx')),
    loadTextsOfAreas(['writeup']),
  ])
  return { default: file.WriteupSection }
})

export function Route() {
  const { data: game } = useGame(useGameId())
  // The layout renders this page only after the game has loaded.
  return game ? <Overview key={game.id} game={game} /> : null
}

function Overview({ game }: { readonly game: GameDetail }) {
  const { t } = useTranslation('games')
  const now = useNow()
  const session = useSession()
  const mayJoin = game.status === 'Unsubmitted' || game.status === 'Rejected'
  const { data: teams } = useCall(operations.listOwnTeams, session.state === 'user' && mayJoin ? {} : null)
  const { data: board } = usePlayerBoard(game, now)
  const [open, setOpen] = useState<'join' | 'leave' | 'answers'>()
  const [draft, setDraft] = useState<JoinDraft>({ teamId: undefined, teamName: '', division: game.organization ?? '', code: '' })
  const phase = phaseOfGame(game, now)
  const asksWriteup = game.writeupRequired && game.status === 'Accepted' && phase !== 'upcoming'
  const { data: writeup } = useCall(operations.getWriteup, asksWriteup ? { params: { id: game.id } } : null)
  // The challenge board contains the deadline for writeups. If the board is not available, a separate call reads the deadline.
  const { data: ownDeadline } = useCall(
    ownOperations.getWriteupDeadline,
    asksWriteup && !areChallengesViewable(game, now) ? { params: { id: game.id } } : null,
  )
  const deadline = board?.writeupDeadline ?? ownDeadline?.writeupDeadline
  const writeupDue = writeup?.submitted === false && deadline !== undefined && now <= Date.parse(deadline)
  const isOrganizer = hasRole(session.role, 'Admin')
  const registration = registrationState({ opens: game.registrationOpens ?? null, closes: game.registrationCloses ?? null }, now)
  const step = determineNextStep({
    game,
    phase,
    registration,
    session: session.state,
    isOrganizer,
    teamCount: teams?.length,
    writeupDue,
  })
  const section = asksWriteup && (
    <Suspense fallback={<SkeletonLines />}>
      <Writeup gameId={game.id} deadline={deadline} />
    </Suspense>
  )
  const hasSurvey = phase === 'ended' && game.status === 'Accepted' && (game.survey ?? 'Off') !== 'Off'
  const close = () => setOpen(undefined)
  return (
    <PageLayout title={game.title} headingBelow>
      <GameHero game={game} phase={phase}>
        <NextStepBar
          game={game}
          phase={phase}
          step={step}
          writeup={`#${writeupAnchor}`}
          onJoin={() => setOpen('join')}
          onLeave={() => setOpen('leave')}
        />
      </GameHero>
      <AnswersNote game={game} onOpen={() => setOpen('answers')} />
      <div className={styles.columns} data-ended={phase === 'ended' || undefined}>
        <div className={cx('stack gap-8', styles.main)}>
          {phase === 'ended' && (
            <div id={resultsAnchor} className={styles.writeup}>
              <Suspense fallback={<Skeleton height="480px" />}>
                <Results game={game} hasWriteup={asksWriteup} />
              </Suspense>
            </div>
          )}
          {phase === 'ended' && section}
          {hasSurvey && (
            <Suspense fallback={<SkeletonLines />}>
              <Survey gameId={game.id} />
            </Suspense>
          )}
          <section aria-label={t('about')} className={styles.about}>
            {game.content.trim() ? <Markdown source={game.content} /> : <p className="faint">{t('noContent')}</p>}
          </section>
          {phase !== 'ended' && section}
        </div>
        <aside className={styles.side} aria-label={t('facts.title')}>
          <GameKeyData game={game} />
        </aside>
      </div>
      <Suspense>
        {open === 'join' && <JoinDialog game={game} teams={teams ?? []} draft={draft} onDraftChange={setDraft} onClose={close} />}
        {open === 'answers' && <AnswersDialog gameId={game.id} onClose={close} />}
        {open === 'leave' && <LeaveDialog game={game} onClose={close} />}
      </Suspense>
    </PageLayout>
  )
}
