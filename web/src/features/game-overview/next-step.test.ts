import type { GamePhase } from '@capstan/contract/phases'
import { describe, expect, it } from 'vitest'
import { nextStep, type StepKind } from './next-step.ts'

function step(changes: {
  status?: Parameters<typeof nextStep>[0]['game']['status']
  practiceMode?: boolean
  phase?: GamePhase
  session?: 'unknown' | 'visitor' | 'user'
  teamCount?: number | undefined
  isOrganizer?: boolean
  writeupDue?: boolean
}): StepKind {
  return nextStep({
    game: { status: changes.status ?? 'Unsubmitted', practiceMode: changes.practiceMode ?? true },
    phase: changes.phase ?? 'running',
    session: changes.session ?? 'user',
    isOrganizer: changes.isOrganizer ?? false,
    teamCount: 'teamCount' in changes ? changes.teamCount : 1,
    writeupDue: changes.writeupDue ?? false,
  })
}

describe('the next step', () => {
  it('of a visitor is to log in, unless nobody can play any more', () => {
    expect(step({ session: 'visitor' })).toBe('visitor')
    expect(step({ session: 'visitor', phase: 'ended' })).toBe('visitor')
    expect(step({ session: 'visitor', phase: 'ended', practiceMode: false })).toBe('closed')
  })

  it('of a player without a team is to get one', () => {
    expect(step({ teamCount: 0 })).toBe('team')
  })

  it('of an admin without a team is to manage the game, and of one with a team to join', () => {
    expect(step({ teamCount: 0, isOrganizer: true })).toBe('manage')
    expect(step({ isOrganizer: true })).toBe('join')
  })

  it('of a player with a team is to join, before, during and, for practice, after the game', () => {
    expect(step({ phase: 'upcoming' })).toBe('join')
    expect(step({ phase: 'running' })).toBe('join')
    expect(step({ phase: 'ended' })).toBe('join')
    expect(step({ phase: 'ended', practiceMode: false })).toBe('closed')
  })

  it('is not guessed while it is not known who is there', () => {
    expect(step({ session: 'unknown', teamCount: undefined })).toBe('unknown')
    expect(step({ teamCount: undefined })).toBe('unknown')
  })

  it('of a pending team is to wait, in every phase', () => {
    expect(step({ status: 'Pending', phase: 'upcoming' })).toBe('pending')
    expect(step({ status: 'Pending', phase: 'ended', practiceMode: false })).toBe('pending')
  })

  it('of a rejected team is to sign up again while that is possible', () => {
    expect(step({ status: 'Rejected' })).toBe('rejected')
    expect(step({ status: 'Rejected', phase: 'ended', practiceMode: false })).toBe('rejectedClosed')
  })

  it('of a suspended team is to contact an admin', () => {
    expect(step({ status: 'Suspended', phase: 'running' })).toBe('suspended')
    expect(step({ status: 'Suspended', phase: 'ended' })).toBe('suspended')
  })

  it('of an accepted team follows the game', () => {
    expect(step({ status: 'Accepted', phase: 'upcoming' })).toBe('ready')
    expect(step({ status: 'Accepted', phase: 'running', writeupDue: true })).toBe('play')
    expect(step({ status: 'Accepted', phase: 'ended' })).toBe('practice')
    expect(step({ status: 'Accepted', phase: 'ended', practiceMode: false })).toBe('done')
  })

  it('of an accepted team after the end is its writeup, if one is due', () => {
    expect(step({ status: 'Accepted', phase: 'ended', writeupDue: true })).toBe('writeup')
    expect(step({ status: 'Accepted', phase: 'ended', practiceMode: false, writeupDue: true })).toBe('writeup')
  })
})
