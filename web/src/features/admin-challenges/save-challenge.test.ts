import type { Challenge } from '@capstan/contract/challenge'
import { expect, it } from 'vitest'
import { aChallenge } from '../../testing/challenge.ts'
import { createFlagKeys, removeFlags, replaceFlag } from './save-challenge.ts'

const hash = 'a'.repeat(64)
const flags: Challenge['flags'] = [
  { flag: 'a', file: null },
  { flag: 'a', file: null },
  { flag: 'a', kind: 'Caseless', file: null },
  { flag: 'a', file: { hash, name: 'x.zip' } },
]
const challenge = aChallenge({ enabled: true, flags })
const [first = '', second = '', caseless = '', withFile = ''] = createFlagKeys(flags)

it('each flag has a unique key that depends on text, kind and file', () => {
  expect(new Set(createFlagKeys(flags)).size).toBe(4)
  expect(createFlagKeys(flags.slice(1))).toEqual([first, caseless, withFile])
})

it('a removal affects only one of two equal flags', () => {
  expect(removeFlags(challenge, new Set([second, withFile]))).toMatchObject({ enabled: true, flags: [flags[0], flags[2]] })
})

it('the challenge is disabled if its last flag is removed', () => {
  expect(removeFlags(challenge, new Set(createFlagKeys(flags)))).toMatchObject({ enabled: false, flags: [] })
})

it('an edit replaces the text of the selected flag, and of no other flag', () => {
  expect(replaceFlag(challenge, caseless, { flag: 'b' }).flags).toEqual([
    ...flags.slice(0, 2),
    { ...flags[2], flag: 'b' },
    ...flags.slice(3),
  ])
})
