import { expect, test } from 'vitest'
import {
  refuseLeavingTeam,
  refuseMemberKick,
  refuseMembership,
  refuseTeamCreation,
  refuseTeamDisbanding,
  refuseTeamTransfer,
} from './policy.ts'

const team = { captainId: 'captain', memberIds: ['captain', 'mate'], isLocked: false }
const locked = { ...team, isLocked: true }
const shown = { isOnFrozenBoard: false }

test.each([
  ['a user who leads no team creates one', refuseTeamCreation(0), undefined],
  ['a captain cannot create a second team', refuseTeamCreation(1), 'team.already-captain'],
  ['a user joins as the last possible member', refuseMembership(100, 1), undefined],
  ['a user cannot join a team that has the maximum number of members', refuseMembership(101, 1), 'team.full'],
  ['a user joins the last possible team', refuseMembership(2, 50), undefined],
  ['a user in the maximum number of teams cannot join another one', refuseMembership(2, 51), 'team.too-many'],
  ['the captain kicks a member', refuseMemberKick('captain', 'mate', team), undefined],
  ['a member cannot kick', refuseMemberKick('mate', 'captain', team), 'team.not-captain'],
  ['a stranger cannot be kicked', refuseMemberKick('captain', 'stranger', team), 'team.member-unknown'],
  ['the captain cannot be kicked', refuseMemberKick('captain', 'captain', team), 'team.captain-stays'],
  ['a member of a locked team cannot be kicked', refuseMemberKick('captain', 'mate', locked), 'team.locked'],
  ['a member leaves', refuseLeavingTeam('mate', team), undefined],
  ['a stranger cannot leave', refuseLeavingTeam('stranger', team), 'team.not-member'],
  ['the captain must transfer before leaving', refuseLeavingTeam('captain', team), 'team.captain-stays'],
  ['a member cannot leave a locked team', refuseLeavingTeam('mate', locked), 'team.locked'],
  ['the captain transfers the team to a member', refuseTeamTransfer('captain', 'mate', team, 2), undefined],
  ['a member cannot transfer the team', refuseTeamTransfer('mate', 'mate', team, 0), 'team.not-captain'],
  ['a stranger cannot become captain', refuseTeamTransfer('captain', 'stranger', team, 0), 'team.member-unknown'],
  ['a captain of three teams cannot lead a fourth', refuseTeamTransfer('captain', 'mate', team, 3), 'team.captain-of-too-many'],
  ['a locked team cannot be transferred', refuseTeamTransfer('captain', 'mate', locked, 0), 'team.locked'],
  ['the captain disbands the team', refuseTeamDisbanding('captain', { ...team, ...shown }), undefined],
  ['a member cannot disband the team', refuseTeamDisbanding('mate', { ...team, ...shown }), 'team.not-captain'],
  ['a locked team cannot be disbanded', refuseTeamDisbanding('captain', { ...locked, ...shown }), 'team.locked'],
  [
    'a team on a frozen board cannot be disbanded',
    refuseTeamDisbanding('captain', { ...team, isOnFrozenBoard: true }),
    'team.locked',
  ],
])('%s', (_sentence, refusal, expected) => {
  expect(refusal).toBe(expected)
})
