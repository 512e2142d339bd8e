import { describe, expect, it } from 'vitest'
import { findDivisionFaults, setDivisionRight, toDivisionForm, toDivisionRequest } from './division-form.ts'

const guests = {
  id: 7,
  name: 'Guests',
  inviteCode: null,
  defaultPermissions: 257,
  challengeConfigs: [{ challengeId: 3, permissions: 0 }],
}

describe('the form of a division', () => {
  it('a new division has all rights, and requires a review if the game requires one', () => {
    expect(toDivisionForm(undefined, false)).toEqual({ name: '', code: '', permissions: 2147483647, overrides: [] })
    expect(toDivisionForm(undefined, true).permissions).toBe(2147483643)
  })

  it('if the user changes nothing, the request contains the stored values of the division', () => {
    expect(toDivisionRequest(toDivisionForm(guests, true))).toEqual({
      name: 'Guests',
      inviteCode: '',
      defaultPermissions: 257,
      challengeConfigs: [{ challengeId: 3, permissions: 0 }],
    })
  })

  it('a click grants or revokes one right, and does not change the other rights', () => {
    expect([
      setDivisionRight(256, 'join', true),
      setDivisionRight(257, 'join', false),
      setDivisionRight(257, 'join', true),
    ]).toEqual([257, 256, 257])
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
    expect(findDivisionFaults({ name, code }, ['Guests'])).toEqual(faults)
  })
})
