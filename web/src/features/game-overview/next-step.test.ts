import type { GamePhase } from '@capstan/contract/phases'
import type { RegistrationState } from '@capstan/contract/registration'
import { describe, expect, it } from 'vitest'
import { determineNextStep, type StepKind } from './next-step.ts'

function step(changes: {
  status?: Parameters<typeof determineNextStep>[0]['game']['status']
  practiceMode?: boolean
  phase?: GamePhase
  registration?: RegistrationState
  waitingPlace?: number
  session?: 'unknown' | 'visitor' | 'user'
  teamCount?: number | undefined
  isOrganizer?: boolean
  writeupDue?: boolean
}): StepKind {
  return determineNextStep({
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
  it('a visitor must log in, unless the game has ended and practice mode is off', () => {
    expect(step({ session: 'visitor' })).toBe('visitor')
    expect(step({ session: 'visitor', phase: 'ended' })).toBe('visitor')
    expect(step({ session: 'visitor', phase: 'ended', practiceMode: false })).toBe('closed')
  })

  it('a player without a team must create or join one', () => {
    expect(step({ teamCount: 0 })).toBe('team')
  })

  it('an admin with a team can join, and an admin without a team manages the game', () => {
    expect(step({ teamCount: 0, isOrganizer: true })).toBe('manage')
    expect(step({ isOrganizer: true })).toBe('join')
  })

  it('a player with a team can join until the game ends, and in practice mode also after the end', () => {
    expect(step({ phase: 'upcoming' })).toBe('join')
    expect(step({ phase: 'running' })).toBe('join')
    expect(step({ phase: 'ended' })).toBe('join')
    expect(step({ phase: 'ended', practiceMode: false })).toBe('closed')
  })

  it('the next step is unknown while the session is unknown', () => {
    expect(step({ session: 'unknown', teamCount: undefined })).toBe('unknown')
    expect(step({ teamCount: undefined })).toBe('unknown')
  })

  it('a team whose participation is pending must wait for a decision in every phase', () => {
    expect(step({ status: 'Pending', phase: 'upcoming' })).toBe('pending')
    expect(step({ status: 'Pending', phase: 'ended', practiceMode: false })).toBe('pending')
  })

  it('a rejected team can join again, unless the game has ended and practice mode is off', () => {
    expect(step({ status: 'Rejected' })).toBe('rejected')
    expect(step({ status: 'Rejected', phase: 'ended', practiceMode: false })).toBe('rejectedClosed')
  })

  it('a team must wait until registration opens, and cannot join after registration closes', () => {
    expect(step({ registration: 'early' })).toBe('early')
    expect(step({ registration: 'early', teamCount: 0 })).toBe('early')
    expect(step({ registration: 'closed' })).toBe('late')
    expect(step({ registration: 'closed', teamCount: 0, isOrganizer: true })).toBe('manage')
    expect(step({ registration: 'closed', session: 'visitor' })).toBe('visitor')
    expect(step({ registration: 'closed', phase: 'ended', practiceMode: false })).toBe('closed')
    expect(step({ registration: 'closed', status: 'Rejected' })).toBe('rejectedLate')
    expect(step({ registration: 'closed', status: 'Accepted' })).toBe('play')
  })

  it('a team on the waiting list must wait for a place', () => {
    expect(step({ status: 'Pending', waitingPlace: 3 })).toBe('waiting')
  })

  it('a suspended team must contact an admin', () => {
    expect(step({ status: 'Suspended', phase: 'running' })).toBe('suspended')
    expect(step({ status: 'Suspended', phase: 'ended' })).toBe('suspended')
  })

  it('the next step of an accepted team depends on the phase', () => {
    expect(step({ status: 'Accepted', phase: 'upcoming' })).toBe('ready')
    expect(step({ status: 'Accepted', phase: 'running', writeupDue: true })).toBe('play')
    expect(step({ status: 'Accepted', phase: 'ended' })).toBe('practice')
    expect(step({ status: 'Accepted', phase: 'ended', practiceMode: false })).toBe('done')
  })

  it('an accepted team must submit the required writeup after the end', () => {
    expect(step({ status: 'Accepted', phase: 'ended', writeupDue: true })).toBe('writeup')
    expect(step({ status: 'Accepted', phase: 'ended', practiceMode: false, writeupDue: true })).toBe('writeup')
  })
})
