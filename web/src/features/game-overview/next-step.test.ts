import type { GamePhase } from '@capstan/contract/phases'
import type { RegistrationState } from '@capstan/contract/registration'
import { describe, expect, it } from 'vitest'
import { nextStep, type StepKind } from './next-step.ts'

function step(changes: {
  status?: Parameters<typeof nextStep>[0]['game']['status']
  practiceMode?: boolean
  phase?: GamePhase
  registration?: RegistrationState
  waitingPlace?: number
  session?: 'unknown' | 'visitor' | 'user'
  teamCount?: number | undefined
  isOrganizer?: boolean
  writeupDue?: boolean
}): StepKind {
  return nextStep({
    game: {
      status: changes.status ?? 'Unsubmitted',
      practiceMode: changes.practiceMode ?? true,
      waitingPlace: changes.waitingPlace ?? null,
    },
    registration: changes.registration ?? 'open',
    phase: changes.phase ?? 'running',
    session: changes.session ?? 'user',
    isOrganizer: changes.isOrganizer ?? false,
    teamCount: 'teamCount' in changes ? changes.teamCount : 1,
    writeupDue: changes.writeupDue ?? false,
  })
}

describe('the next step of a user', () => {
  it('is "login" for a visitor, unless the game is over', () => {
    expect(step({ session: 'visitor' })).toBe('visitor')
    expect(step({ session: 'visitor', phase: 'ended' })).toBe('visitor')
    expect(step({ session: 'visitor', phase: 'ended', practiceMode: false })).toBe('closed')
  })

  it('is to create or join a team for a player who has none', () => {
    expect(step({ teamCount: 0 })).toBe('team')
  })

  it('is to join if an admin has a team, and to manage the game if the admin has none', () => {
    expect(step({ teamCount: 0, isOrganizer: true })).toBe('manage')
    expect(step({ isOrganizer: true })).toBe('join')
  })

  it('is to join the game for a player who has a team, even after the end unless practice mode is off', () => {
    expect(step({ phase: 'upcoming' })).toBe('join')
    expect(step({ phase: 'running' })).toBe('join')
    expect(step({ phase: 'ended' })).toBe('join')
    expect(step({ phase: 'ended', practiceMode: false })).toBe('closed')
  })

  it('is unknown while the session is unknown', () => {
    expect(step({ session: 'unknown', teamCount: undefined })).toBe('unknown')
    expect(step({ teamCount: undefined })).toBe('unknown')
  })

  it('is to wait in every phase if the team is pending', () => {
    expect(step({ status: 'Pending', phase: 'upcoming' })).toBe('pending')
    expect(step({ status: 'Pending', phase: 'ended', practiceMode: false })).toBe('pending')
  })

  it('is to join again if the team was rejected, unless the game is over and practice mode is off', () => {
    expect(step({ status: 'Rejected' })).toBe('rejected')
    expect(step({ status: 'Rejected', phase: 'ended', practiceMode: false })).toBe('rejectedClosed')
  })

  it('is to wait before the registration window, and never to join after it', () => {
    expect(step({ registration: 'early' })).toBe('early')
    expect(step({ registration: 'early', teamCount: 0 })).toBe('early')
    expect(step({ registration: 'closed' })).toBe('late')
    expect(step({ registration: 'closed', teamCount: 0, isOrganizer: true })).toBe('manage')
    expect(step({ registration: 'closed', session: 'visitor' })).toBe('visitor')
    expect(step({ registration: 'closed', phase: 'ended', practiceMode: false })).toBe('closed')
    expect(step({ registration: 'closed', status: 'Rejected' })).toBe('rejectedLate')
    expect(step({ registration: 'closed', status: 'Accepted' })).toBe('play')
  })

  it('is to wait for a place if the team is on the waiting list', () => {
    expect(step({ status: 'Pending', waitingPlace: 3 })).toBe('waiting')
  })

  it('is to contact an admin if the team is suspended', () => {
    expect(step({ status: 'Suspended', phase: 'running' })).toBe('suspended')
    expect(step({ status: 'Suspended', phase: 'ended' })).toBe('suspended')
  })

  it('depends on the phase if the team is accepted', () => {
    expect(step({ status: 'Accepted', phase: 'upcoming' })).toBe('ready')
    expect(step({ status: 'Accepted', phase: 'running', writeupDue: true })).toBe('play')
    expect(step({ status: 'Accepted', phase: 'ended' })).toBe('practice')
    expect(step({ status: 'Accepted', phase: 'ended', practiceMode: false })).toBe('done')
  })

  it('is to submit the required writeup after the end if the team is accepted', () => {
    expect(step({ status: 'Accepted', phase: 'ended', writeupDue: true })).toBe('writeup')
    expect(step({ status: 'Accepted', phase: 'ended', practiceMode: false, writeupDue: true })).toBe('writeup')
  })
})
