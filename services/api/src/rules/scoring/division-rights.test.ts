import { expect, test } from 'vitest'
import { refuseCallWithoutDivisionRight } from './division-rights.ts'

const see = 256
const submit = 512

test.each([
  ['that is undefined, for a team without a division', undefined, undefined, undefined],
  ['with both rights', { defaultPermissions: see + submit, overrides: new Map() }, undefined, undefined],
  ['that may see but not submit', { defaultPermissions: see, overrides: new Map() }, undefined, 'division.submit'],
  ['without rights', { defaultPermissions: 0, overrides: new Map() }, 'challenge.unknown', 'challenge.unknown'],
  [
    'that may submit what it does not see',
    { defaultPermissions: submit, overrides: new Map() },
    'challenge.unknown',
    'challenge.unknown',
  ],
  ['with rights for this challenge', { defaultPermissions: 0, overrides: new Map([[7, see + submit]]) }, undefined, undefined],
  ['with rights for another challenge', { defaultPermissions: see, overrides: new Map([[8, 0]]) }, undefined, 'division.submit'],
  [
    'without rights for this challenge',
    { defaultPermissions: see, overrides: new Map([[7, 0]]) },
    'challenge.unknown',
    'challenge.unknown',
  ],
] as const)('checks what a team may see and submit: a division %s', (_, division, seeing, submitting) => {
  expect([refuseCallWithoutDivisionRight(division, 7, 'see'), refuseCallWithoutDivisionRight(division, 7, 'submit')]).toEqual([
    seeing,
    submitting,
  ])
})
