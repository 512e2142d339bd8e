import type { GameDetail } from '@capstan/contract/games'
import type { GamePhase } from '@capstan/contract/phases'

export type StepKind =
  /** The session is not known yet. */
  | 'unknown'
  | 'visitor'
  | 'manage'
  | 'team'
  | 'join'
  | 'pending'
  /** Rejected, but may register again. */
  | 'rejected'
  /** Rejected, and registration is closed. */
  | 'rejectedClosed'
  | 'suspended'
  | 'ready'
  | 'play'
  | 'practice'
  /** Accepted after the end, with a writeup due. */
  | 'writeup'
  | 'done'
  | 'closed'

type StepFacts = Readonly<{
  game: Pick<GameDetail, 'status' | 'practiceMode'>
  phase: GamePhase
  session: 'unknown' | 'visitor' | 'user' | 'banned'
  isOrganizer: boolean
  /** undefined while unknown */
  teamCount: number | undefined
  /** True if the team should submit a writeup. */
  writeupDue: boolean
}>

/** Returns the next step for a participation status and phase. */
export function nextStep({ game, phase, session, isOrganizer, teamCount, writeupDue }: StepFacts): StepKind {
  const isOpen = phase !== 'ended' || game.practiceMode
  if (session === 'visitor') return isOpen ? 'visitor' : 'closed'
  switch (game.status) {
    case 'Suspended':
      return 'suspended'
    case 'Pending':
      return 'pending'
    case 'Rejected':
      return isOpen ? 'rejected' : 'rejectedClosed'
    case 'Accepted':
      if (phase === 'upcoming') return 'ready'
      if (phase === 'running') return 'play'
      if (writeupDue) return 'writeup'
      return game.practiceMode ? 'practice' : 'done'
    case 'Unsubmitted':
      if (!isOpen) return 'closed'
      if (session === 'unknown' || teamCount === undefined) return 'unknown'
      if (teamCount > 0) return 'join'
      return isOrganizer ? 'manage' : 'team'
  }
}
