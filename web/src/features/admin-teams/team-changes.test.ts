import { describe, expect, it } from 'vitest'
import { listMembersCaptainFirst, listTeamChanges, toTeamDraft } from './team-changes.ts'

function member(userName: string, captain: boolean) {
  return { id: userName, userName, bio: null, avatar: null, captain }
}
const team = {
  id: 7,
  name: 'Reds',
  bio: 'We haul',
  avatar: null,
  locked: false,
  members: [member('noor', false), member('mira', true)],
}

describe('changing a team', () => {
  it('a save sends only the changed fields of a team', () => {
    expect(listTeamChanges(toTeamDraft(team), { name: ' Reds ', bio: 'We haul', locked: true })).toEqual({ locked: true })
    expect(listTeamChanges(toTeamDraft(team), { name: 'Blues', bio: 'New', locked: false })).toEqual({
      name: 'Blues',
      bio: 'New',
    })
  })

  it('a save does not send an empty bio, which the server would ignore', () => {
    expect(listTeamChanges(toTeamDraft(team), { name: 'Reds', bio: '  ', locked: false })).toEqual({})
  })
})

it('the member list starts with the captain', () => {
  expect(listMembersCaptainFirst(team).map(({ userName }) => userName)).toEqual(['mira', 'noor'])
  expect(listMembersCaptainFirst({ ...team, members: null })).toEqual([])
})
