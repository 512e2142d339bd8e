import type { AdminGame } from '@capstan/contract/games'
import { describe, expect, it } from 'vitest'
import { toStoredBloodBonuses, toTypedBloodBonuses } from './blood-bonus.ts'
import { findGameFaults, toGameForm, toGameRequest, toWriteupDeadline } from './game-form.ts'

const game: AdminGame = {
  id: 3,
  title: 'Harbour Trials',
  hidden: false,
  summary: 's',
  content: 'c',
  acceptWithoutReview: false,
  writeupRequired: true,
  inviteCode: null,
  organizations: ['2', '1'],
  organizationCodes: { 1: null, 2: 'campus-26' },
  teamMemberCountLimit: 4,
  containerCountLimit: 3,
  poster: null,
  publicKey: 'key',
  practiceMode: true,
  start: '2026-11-21T08:00:00.000Z',
  end: '2026-11-22T08:00:00.000Z',
  writeupDeadline: '2026-11-23T20:20:07.000Z',
  writeupNote: '',
  bloodBonus: 52459530,
  bloodPoints: null,
  allowsDebt: false,
  freeze: null,
  revealed: null,
  registrationOpens: null,
  registrationCloses: null,
  teamLimit: null,
  survey: 'Off',
  questions: [],
}

describe('saving game settings', () => {
  it('the request contains all settings except the divisions, and unchanged settings have their stored values', () => {
    expect(toGameRequest(game, { title: ' Harbour Trials 2 ' })).toEqual({
      title: 'Harbour Trials 2',
      hidden: false,
      summary: 's',
      content: 'c',
      acceptWithoutReview: false,
      writeupRequired: true,
      inviteCode: null,
      teamMemberCountLimit: 4,
      containerCountLimit: 3,
      practiceMode: true,
      start: '2026-11-21T08:00:00.000Z',
      end: '2026-11-22T08:00:00.000Z',
      // The form cannot show the seconds of the stored deadline.
      writeupDeadline: '2026-11-23T20:20:07.000Z',
      writeupNote: '',
      bloodBonus: 52459530,
      bloodPoints: null,
      allowsDebt: false,
      freeze: null,
      registrationOpens: null,
      registrationCloses: null,
      teamLimit: null,
      survey: 'Off',
    })
  })

  it('the writeup deadline moves if the end of the game moves', () => {
    expect(toGameForm({ ...game, writeupDeadline: '2026-11-23T20:00:00.000Z' }).writeupHours).toBe('36')
    const write = toGameRequest({ ...game, writeupDeadline: '2026-11-23T20:00:00.000Z' }, { end: '2026-11-22T10:00:00.000Z' })
    expect(write.writeupDeadline).toBe('2026-11-23T22:00:00.000Z')
    expect(toWriteupDeadline({ end: '2026-11-22T10:00:00.000Z', writeupHours: '' })).toBe('')
  })
})

describe('blood bonuses', () => {
  it('the form shows blood bonuses as percentages, and sends them as one number with 10 bits per bonus', () => {
    const percents = { bloodInPoints: false, bloodFirst: '5', bloodSecond: '3', bloodThird: '1' }
    expect(toTypedBloodBonuses(game)).toEqual(percents)
    // The first bonus is 125 per mille, and the third is 1 per mille: 125 × 2^20 + 0 + 1.
    expect(toStoredBloodBonuses({ ...percents, bloodFirst: '12.5', bloodSecond: '0', bloodThird: '0.1' }, game)).toEqual({
      bloodBonus: 131072001,
      bloodPoints: null,
    })
  })

  it('bonuses in points do not change the stored percentages', () => {
    const bloodPoints = { first: 100, second: 50, third: 0 }
    const typed = { bloodInPoints: true, bloodFirst: '100', bloodSecond: '50', bloodThird: '0' }
    expect(toTypedBloodBonuses({ ...game, bloodPoints })).toEqual(typed)
    expect(toStoredBloodBonuses(typed, game)).toEqual({ bloodBonus: 52459530, bloodPoints })
    const form = { ...toGameForm(game), ...typed, bloodThird: '0.5' }
    expect(findGameFaults(form)).toEqual({ bloodThird: 'points' })
  })
})

describe('the game form', () => {
  it('the form accepts every game that the server returns', () => {
    expect(findGameFaults(toGameForm(game))).toEqual({})
  })

  it('the form requires a title, and an end after the start', () => {
    const form = { ...toGameForm(game), title: ' ', end: game.start, bloodFirst: '101', teamMemberCountLimit: '-1' }
    expect(findGameFaults(form)).toEqual({
      title: 'titleMissing',
      end: 'endBeforeStart',
      bloodFirst: 'percent',
      teamMemberCountLimit: 'limit',
    })
  })

  it('the form requires that registration closes after it opens', () => {
    const form = { ...toGameForm(game), registrationOpens: '2026-11-20T10:00:00.000Z' }
    expect(findGameFaults({ ...form, registrationCloses: '2026-11-20T10:00:00.000Z' })).toEqual({
      registrationCloses: 'closesBeforeOpening',
    })
    expect(findGameFaults({ ...form, registrationCloses: '2026-11-20T10:00:01.000Z' })).toEqual({})
  })

  it('the request contains the registration window in ms, and no limit if the entered team limit is 0', () => {
    const write = toGameRequest({ ...game, teamLimit: 8 }, { registrationOpens: '1970-01-01T00:00:01.000Z', teamLimit: '0' })
    expect(write).toMatchObject({ registrationOpens: 1000, registrationCloses: null, teamLimit: null })
  })
})
