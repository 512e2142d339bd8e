import type { GameDetail } from '@capstan/contract/games'
import type { GamePhase } from '@capstan/contract/phases'

/** What a visitor or player can do next in a game. */
export type StepKind =
  /** Not known yet. */
  | 'unknown'
  /** Log in first. */
  | 'visitor'
  /** In no team, but in charge of the game. */
  | 'manage'
  /** In no team. */
  | 'team'
  | 'join'
  | 'pending'
  /** Turned down, may sign up again. */
  | 'rejected'
  /** Turned down, and too late to sign up again. */
  | 'rejectedClosed'
  | 'suspended'
  /** Accepted, not started. */
  | 'ready'
  | 'play'
  | 'practice'
  /** Accepted, over, the writeup is still asked for. */
  | 'writeup'
  /** Accepted, over. */
  | 'done'
  /** Never joined, over. */
  | 'closed'

type StepFacts = Readonly<{
  game: Pick<GameDetail, 'status' | 'practiceMode'>
  phase: GamePhase
  session: 'unknown' | 'visitor' | 'user' | 'banned'
  isOrganizer: boolean
  /** Undefined: not known yet. */
  teamCount: number | undefined
  /** The team can and should hand in a writeup. */
  writeupDue: boolean
}>

/** The one next step of each participation state and phase. */
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
