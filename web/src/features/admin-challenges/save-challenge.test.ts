import type { Challenge } from '@capstan/contract/challenge'
import { expect, it } from 'vitest'
import { aChallenge, wholeOf } from '../../testing/challenge.ts'
import { withFlagText, withoutFlags } from './save-challenge.ts'

const hash = 'a'.repeat(64)
const flags: Challenge['flags'] = [
  { flag: 'a', file: null },
  { flag: 'a', file: null },
  { flag: 'a', kind: 'Caseless', file: null },
  { flag: 'a', file: { hash, name: 'x.zip' } },
]
const challenge: Challenge = { ...wholeOf(aChallenge()).challenge, enabled: true, flags }
const file = { id: 1, type: 'Local', url: `/assets/${hash}/x.zip`, fileSize: 3 } as const

it('removes as many flags as named, by text, kind and file', () => {
  const plain = { flag: 'a', attachment: null }
  expect(withoutFlags(challenge, [plain, { flag: 'a', attachment: file }])).toMatchObject({
    enabled: true,
    flags: [flags[1], flags[2]],
  })
  expect(withoutFlags(challenge, [{ ...plain, kind: 'Caseless' }]).flags).toEqual([flags[0], flags[1], flags[3]])
})

it('disables a challenge without its last flag', () => {
  const [first] = flags
  const last = { ...challenge, flags: first ? [first] : [] }
  expect(withoutFlags(last, [{ flag: 'a', attachment: null }])).toMatchObject({ enabled: false, flags: [] })
})

it('replaces the text of one flag', () => {
  const [, , caseless] = flags
  expect(withFlagText(challenge, { flag: 'a', kind: 'Caseless', attachment: null }, 'b').flags).toEqual([
    ...flags.slice(0, 2),
    { ...caseless, flag: 'b' },
    ...flags.slice(3),
  ])
})
