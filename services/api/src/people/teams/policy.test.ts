import { expect, test } from 'vitest'
import { refuseCreation, refuseDisbanding, refuseKick, refuseLeaving, refuseTransfer } from './policy.ts'

const team = { captainId: 'captain', memberIds: ['captain', 'mate'], isLocked: false }
const locked = { ...team, isLocked: true }
const shown = { isOnFrozenBoard: false }

test.each([
  ['a user who leads no team creates one', refuseCreation(0), undefined],
  ['a captain cannot create a second team', refuseCreation(1), 'team.already-captain'],
  ['the captain kicks a member', refuseKick('captain', 'mate', team), undefined],
  ['a member cannot kick', refuseKick('mate', 'captain', team), 'team.not-captain'],
  ['a stranger cannot be kicked', refuseKick('captain', 'stranger', team), 'team.member-unknown'],
  ['the captain cannot be kicked', refuseKick('captain', 'captain', team), 'team.captain-stays'],
  ['a member of a locked team cannot be kicked', refuseKick('captain', 'mate', locked), 'team.locked'],
  ['a member leaves', refuseLeaving('mate', team), undefined],
  ['a stranger cannot leave', refuseLeaving('stranger', team), 'team.not-member'],
  ['the captain must transfer before leaving', refuseLeaving('captain', team), 'team.captain-stays'],
  ['a member cannot leave a locked team', refuseLeaving('mate', locked), 'team.locked'],
  ['the captain transfers the team to a member', refuseTransfer('captain', 'mate', team, 2), undefined],
  ['a member cannot transfer the team', refuseTransfer('mate', 'mate', team, 0), 'team.not-captain'],
  ['a stranger cannot become captain', refuseTransfer('captain', 'stranger', team, 0), 'team.member-unknown'],
  ['a captain of three teams cannot lead a fourth', refuseTransfer('captain', 'mate', team, 3), 'team.captain-of-too-many'],
  ['a locked team cannot be transferred', refuseTransfer('captain', 'mate', locked, 0), 'team.locked'],
  ['the captain disbands the team', refuseDisbanding('captain', { ...team, ...shown }), undefined],
  ['a member cannot disband the team', refuseDisbanding('mate', { ...team, ...shown }), 'team.not-captain'],
  ['a locked team cannot be disbanded', refuseDisbanding('captain', { ...locked, ...shown }), 'team.locked'],
  [
    'a team on a frozen board cannot be disbanded',
    refuseDisbanding('captain', { ...team, isOnFrozenBoard: true }),
    'team.locked',
  ],
])('%s', (_sentence, refusal, expected) => {
  expect(refusal).toBe(expected)
})
