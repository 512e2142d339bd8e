import { describe, expect, test } from 'vitest'
import { attachmentSourceOf, listNoticesCausedByEdit, refuseInvalidChallengeUpdate } from './policy.ts'

describe('an edit of a challenge', () => {
  test.each([
    ['StaticAttachment', 0, { isEnabled: true }, 'challenge.no-flag'],
    ['StaticContainer', 0, { isEnabled: true }, 'challenge.no-flag'],
    ['DynamicAttachment', 0, { isEnabled: true }, 'challenge.no-flag'],
    ['DynamicContainer', 0, { isEnabled: true }, undefined],
    ['StaticAttachment', 1, { isEnabled: true }, undefined],
    ['StaticAttachment', 0, { isEnabled: false }, undefined],
    ['StaticAttachment', 1, { enableTrafficCapture: true }, 'challenge.capture'],
    ['DynamicAttachment', 1, { enableTrafficCapture: true }, 'challenge.capture'],
    ['StaticAttachment', 1, { enableTrafficCapture: false }, undefined],
    ['StaticContainer', 1, { enableTrafficCapture: true }, undefined],
    ['DynamicContainer', 0, { enableTrafficCapture: true }, undefined],
    ['DynamicContainer', 0, { flagTemplate: 'flag{abc}' }, 'flag.template-weak'],
    ['DynamicContainer', 0, { flagTemplate: 'flag{[GUID]}' }, undefined],
    ['DynamicContainer', 0, { flagTemplate: ' ' }, undefined],
    ['DynamicContainer', 0, { flagTemplate: null }, undefined],
    ['StaticContainer', 1, { flagTemplate: 'flag{abc}' }, undefined],
  ] as const)('for the type %s, %i flags and the update %j, the problem is %s', (type, flagCount, update, refusal) => {
    expect(refuseInvalidChallengeUpdate({ type, flags: Array(flagCount).fill('flag{a}') }, update)).toBe(refusal)
  })
})

describe('the notices for players after an edit of a challenge', () => {
  const off = { isShown: false, unlockRule: null, hints: [], pricedHints: [] }
  const on = { isShown: true, unlockRule: null, hints: ['one', 'two'], pricedHints: [] }
  const priced = { ...on, hints: ['one'], pricedHints: [{ id: '', text: 'two', price: 5, place: 1 }] }
  test.each([
    ['a challenge that is enabled', off, on, true, ['NewChallenge']],
    ['nothing if the game is not running', off, on, false, []],
    ['nothing if the challenge remains disabled', off, { ...off, hints: ['x'] }, true, []],
    ['nothing if it disables the challenge', on, off, true, []],
    ['new hints', on, { ...on, hints: ['one', 'three'] }, true, ['NewHint']],
    ['removed hints', on, { ...on, hints: ['one'] }, true, ['NewHint']],
    ['a new price of a hint', on, priced, true, ['NewHint']],
    ['nothing if only the order of hints changes', on, { ...on, hints: ['two', 'one'] }, true, []],
  ])('an edit notifies players of %s', (_what, before, after, isRunning, notices) => {
    expect(listNoticesCausedByEdit(before, after, isRunning)).toEqual(notices)
  })
})

describe('the source of an attachment', () => {
  const fileHash = 'ab'.repeat(32)
  test.each([
    [{}, undefined],
    [{ attachmentType: 'None', fileHash }, undefined],
    [
      { attachmentType: 'Local', fileHash },
      { type: 'Local', fileHash },
    ],
    [{ attachmentType: 'Local' }, 'request.parameter'],
    [{ attachmentType: 'Local', fileHash: '../../../etc/passwd' }, 'request.parameter'],
    [
      { attachmentType: 'Remote', remoteUrl: ' https://x.org/a ' },
      { type: 'Remote', remoteUrl: 'https://x.org/a' },
    ],
    [{ attachmentType: 'Remote', remoteUrl: 'javascript:alert(1)' }, 'request.parameter'],
    [{ attachmentType: 'Remote', remoteUrl: 'not an address' }, 'request.parameter'],
    [{ attachmentType: 'Remote', remoteUrl: null }, 'request.parameter'],
  ] as const)('attachmentSourceOf(%j) returns %j', (input, source) => {
    expect(attachmentSourceOf(input)).toEqual(source)
  })
})
