import { describe, expect, it } from 'vitest'
import { choiceOf, type JoinDraft, needsOf, problemsOf, requestOf } from './join-request.ts'

const plain = { organizations: null, inviteCodeRequired: false }
function aDraft(changes: Partial<JoinDraft>): JoinDraft {
  return { teamId: 1, teamName: '', division: '', code: '', ...changes }
}
const guarded = { organizations: ['Students', 'Open'], organizationCodesRequired: ['Students'], inviteCodeRequired: true }

describe('the required input for joining a game', () => {
  it('is only the team if the game has no divisions and codes', () => {
    expect(needsOf(plain, '')).toEqual({ division: false, code: undefined })
    expect(problemsOf(aDraft({}), needsOf(plain, ''))).toBeUndefined()
    expect(problemsOf(aDraft({ teamId: undefined }), needsOf(plain, ''))).toEqual({
      team: true,
      teamName: false,
      division: false,
      code: false,
    })
  })

  it('includes the code of the division if both the game and the division have one', () => {
    expect(needsOf(guarded, 'Students')).toEqual({ division: true, code: 'division' })
    expect(needsOf(guarded, 'Open')).toEqual({ division: true, code: 'game' })
  })

  it('includes no code if neither the game nor the division has one', () => {
    expect(needsOf({ ...guarded, inviteCodeRequired: false }, 'Open').code).toBeUndefined()
  })

  it('includes a name if the team is new', () => {
    const needs = needsOf(plain, '')
    const unnamed = aDraft({ teamId: undefined, teamName: ' ' })
    expect(problemsOf(unnamed, needs, true)).toEqual({ team: false, teamName: true, division: false, code: false })
    expect(problemsOf({ ...unnamed, teamName: 'Gulls' }, needs, true)).toBeUndefined()
  })

  it('does not accept a blank code', () => {
    expect(problemsOf(aDraft({ division: 'Open', code: '  ' }), needsOf(guarded, 'Open'))).toEqual({
      team: false,
      teamName: false,
      division: false,
      code: true,
    })
  })

  it('is sent alone: other values are omitted', () => {
    const draft = aDraft({ division: 'Students', code: ' secret ' })
    expect(requestOf(1, draft, needsOf(guarded, 'Students'))).toEqual({
      teamId: 1,
      organization: 'Students',
      inviteCode: 'secret',
    })
    expect(requestOf(1, draft, needsOf(plain, ''))).toEqual({ teamId: 1, organization: null, inviteCode: null })
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
  ])('are the expected ones for a team in division %s', (divisionId, organizations, organizationCodesRequired, isFixed) => {
    expect(choiceOf(game, divisionId)).toMatchObject({ organizations, organizationCodesRequired, isFixed })
  })
})
