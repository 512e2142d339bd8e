import { describe, expect, it } from 'vitest'
import {
  findMissingJoinInput,
  getInputRequiredToJoin,
  type JoinDraft,
  listJoinableDivisions,
  toJoinRequest,
} from './join-request.ts'

const plain = { organizations: null, inviteCodeRequired: false }
function aDraft(changes: Partial<JoinDraft>): JoinDraft {
  return { teamId: 1, teamName: '', division: '', code: '', ...changes }
}
const guarded = { organizations: ['Students', 'Open'], organizationCodesRequired: ['Students'], inviteCodeRequired: true }

describe('the required input for joining a game', () => {
  it('the form requires only the team if the game has neither divisions nor codes', () => {
    expect(getInputRequiredToJoin(plain, '')).toEqual({ division: false, code: undefined })
    expect(findMissingJoinInput(aDraft({}), getInputRequiredToJoin(plain, ''))).toBeUndefined()
    expect(findMissingJoinInput(aDraft({ teamId: undefined }), getInputRequiredToJoin(plain, ''))).toEqual({
      team: true,
      teamName: false,
      division: false,
      code: false,
    })
  })

  it('the form requires the code of the division instead of the code of the game if both have one', () => {
    expect(getInputRequiredToJoin(guarded, 'Students')).toEqual({ division: true, code: 'division' })
    expect(getInputRequiredToJoin(guarded, 'Open')).toEqual({ division: true, code: 'game' })
  })

  it('the form requires no code if neither the game nor the division has one', () => {
    expect(getInputRequiredToJoin({ ...guarded, inviteCodeRequired: false }, 'Open').code).toBeUndefined()
  })

  it('the form requires a team name if the team is new', () => {
    const needs = getInputRequiredToJoin(plain, '')
    const unnamed = aDraft({ teamId: undefined, teamName: ' ' })
    expect(findMissingJoinInput(unnamed, needs, true)).toEqual({ team: false, teamName: true, division: false, code: false })
    expect(findMissingJoinInput({ ...unnamed, teamName: 'Gulls' }, needs, true)).toBeUndefined()
  })

  it('the form rejects a blank invitation code', () => {
    expect(findMissingJoinInput(aDraft({ division: 'Open', code: '  ' }), getInputRequiredToJoin(guarded, 'Open'))).toEqual({
      team: false,
      teamName: false,
      division: false,
      code: true,
    })
  })

  it('the request contains only the values that the game and the division require', () => {
    const draft = aDraft({ division: 'Students', code: ' secret ' })
    expect(toJoinRequest(1, draft, getInputRequiredToJoin(guarded, 'Students'))).toEqual({
      teamId: 1,
      organization: 'Students',
      inviteCode: 'secret',
    })
    expect(toJoinRequest(1, draft, getInputRequiredToJoin(plain, ''))).toEqual({
      teamId: 1,
      organization: null,
      inviteCode: null,
    })
  })
})

describe('the divisions that a team may choose', () => {
  const game = {
    organizations: ['Open', 'Students'],
    organizationCodesRequired: ['Students'],
    inviteCodeRequired: false,
    divisions: [
      { id: 1, name: 'Open', inviteCodeRequired: false },
      { id: 2, name: 'Students', inviteCodeRequired: true },
      { id: 3, name: 'Guests', inviteCodeRequired: true },
    ],
  }

  it.each([
    [null, ['Open', 'Students'], ['Students'], false],
    [1, ['Open'], [], true],
    [2, ['Students'], ['Students'], true],
    [3, ['Guests'], ['Guests'], true],
  ])(
    'a team without a division can choose every open division, and any other team only its division: %s',
    (divisionId, organizations, organizationCodesRequired, isFixed) => {
      expect(listJoinableDivisions(game, divisionId)).toMatchObject({ organizations, organizationCodesRequired, isFixed })
    },
  )

  it('the form offers only the divisions that the server offers the user', () => {
    expect(listJoinableDivisions(game, null, [2])).toMatchObject({ organizations: ['Students'], isFixed: false })
  })
})
