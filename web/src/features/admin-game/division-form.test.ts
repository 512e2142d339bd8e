import { describe, expect, it } from 'vitest'
import { divisionFaultsOf, divisionFormOf, toDivisionRequest, withRight } from './division-form.ts'

const guests = {
  id: 7,
  name: 'Guests',
  inviteCode: null,
  defaultPermissions: 257,
  challengeConfigs: [{ challengeId: 3, permissions: 0 }],
}

describe('the form of a division', () => {
  it('a new division has all rights, and requires a review if the game requires one', () => {
    expect(divisionFormOf(undefined, false)).toEqual({ name: '', code: '', permissions: 2147483647, overrides: [] })
    expect(divisionFormOf(undefined, true).permissions).toBe(2147483643)
  })

  it('the request for an unchanged division equals the stored division', () => {
    expect(toDivisionRequest(divisionFormOf(guests, true))).toEqual({
      name: 'Guests',
      inviteCode: '',
      defaultPermissions: 257,
      challengeConfigs: [{ challengeId: 3, permissions: 0 }],
    })
  })

  it('a click grants or revokes one right, and does not change the other rights', () => {
    expect([withRight(256, 'join', true), withRight(257, 'join', false), withRight(257, 'join', true)]).toEqual([257, 256, 257])
  })

  it.each([
    ['Open', '', {}],
    [' Guests ', '', { name: 'divisionTwice' }],
    ['all', '', { name: 'divisionAll' }],
    [' ', '', { name: 'divisionEmpty' }],
    ['Open', '12345', { code: 'divisionCode' }],
    ['Open', '123456', {}],
    ['Open', 'x'.repeat(33), { code: 'divisionCode' }],
  ])('reports the errors of the name "%s" and the code "%s"', (name, code, faults) => {
    expect(divisionFaultsOf({ name, code }, ['Guests'])).toEqual(faults)
  })
})
