import type { GameDetail } from '@capstan/contract/games'
import type { GamePhase } from '@capstan/contract/phases'
import type { RegistrationState } from '@capstan/contract/registration'

export type StepKind =
  /** The session is not known yet. */
  | 'unknown'
  | 'visitor'
  | 'manage'
  | 'team'
  | 'join'
  /** Registration has not opened yet. */
  | 'early'
  /** Registration is closed. */
  | 'late'
  | 'pending'
  /** The team is on the waiting list. */
  | 'waiting'
  /** The team was rejected, but may register again. */
  | 'rejected'
  /** The team was rejected, and the game is over. */
  | 'rejectedClosed'
  /** The team was rejected, and registration is not open. */
  | 'rejectedLate'
  | 'suspended'
  | 'ready'
  | 'play'
  | 'practice'
  /** The game is over, the team was accepted, and its writeup is due. */
  | 'writeup'
  | 'done'
  | 'closed'

type StepFacts = Readonly<{
  game: Pick<GameDetail, 'status' | 'practiceMode' | 'waitingPlace'>
  registration: RegistrationState
  phase: GamePhase
  session: 'unknown' | 'visitor' | 'user' | 'banned'
  isOrganizer: boolean
  /** Number of the user's teams. Undefined while the session is unknown. */
  teamCount: number | undefined
  /** True if the team should submit a writeup. */
  writeupDue: boolean
}>

/** Returns the next step for a participation status and a phase of the game. */
export function determineNextStep({
  game,
  phase,
  registration,
  session,
  isOrganizer,
  teamCount,
  writeupDue,
}: StepFacts): StepKind {
  const isOpen = phase !== 'ended' || game.practiceMode
  if (session === 'visitor') return isOpen ? 'visitor' : 'closed'
  switch (game.status) {
    case 'Suspended':
      return 'suspended'
    case 'Pending':
      return game.waitingPlace == null ? 'pending' : 'waiting'
    case 'Rejected':
      if (!isOpen) return 'rejectedClosed'
      return registration === 'open' ? 'rejected' : 'rejectedLate'
    case 'Accepted':
      if (phase === 'upcoming') return 'ready'
      if (phase === 'running') return 'play'
      if (writeupDue) return 'writeup'
      return game.practiceMode ? 'practice' : 'done'
    case 'Unsubmitted':
      if (!isOpen) return 'closed'
      if (session === 'unknown' || teamCount === undefined) return 'unknown'
      if (teamCount === 0 && isOrganizer) return 'manage'
      if (registration !== 'open') return registration === 'early' ? 'early' : 'late'
      return teamCount > 0 ? 'join' : 'team'
  }
}
