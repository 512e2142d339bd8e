import { createDefaultChallenge } from '@capstan/challenge-files/challenge/challenge'
import { changeEntryContainer, entryContainerOf } from '@capstan/contract/challenge-parts'
import type { ChallengeType } from '@capstan/contract/challenges'
import { describe, expect, test } from 'vitest'
import { applyChallengeLabels, applyChallengeUpdate, fileOfAttachmentSource } from './reference.ts'
import type { StoredChallenge } from './rows.ts'

function stored(type: ChallengeType, parts: Partial<StoredChallenge> = {}): StoredChallenge {
  return { ...createDefaultChallenge('Heap', 'Pwn', type), ...parts }
}

describe('an edit through the call of the earlier platform', () => {
  test('changes all fields in the call, including fields that the type of the challenge does not use', () => {
    const before = stored('StaticAttachment', { tags: ['heap'], difficulty: 'hard', hints: [{ text: 'one', price: 0 }] })
    const after = applyChallengeUpdate(before, {
      ...{ title: ' New ', content: 'text', category: 'Web', hints: ['two'], isEnabled: true, fileName: ' a.zip ' },
      ...{ originalScore: 500, minScoreRate: 0.5, difficulty: 3 },
      ...{ containerImage: ' x:1 ', memoryLimit: 128, cpuCount: 5, storageLimit: 512, containerExposePort: 1337 },
      enableTrafficCapture: false,
    })
    expect(after).toEqual({
      ...before,
      ...{
        title: 'New',
        description: 'text',
        category: 'Web',
        hints: [{ text: 'two', price: 0 }],
        enabled: true,
        attachmentName: 'a.zip',
      },
      ...{ points: 500, minimumShare: 0.5, decay: 3 },
      containers: [
        { ...entryContainerOf(before), image: 'x:1', memoryMb: 128, cpuTenths: 5, storageMb: 512, port: 1337, capture: false },
      ],
    })
  })

  test('retains all fields that are absent or null', () => {
    const before = stored('DynamicContainer', { template: 'flag{[GUID]}', flags: [{ id: 1, flag: 'a', file: null }] })
    expect(applyChallengeUpdate(before, {})).toEqual(before)
    expect(
      applyChallengeUpdate(before, { title: null, hints: null, flagTemplate: null, memoryLimit: null, difficulty: null }),
    ).toEqual(before)
  })

  test.each([
    ['all', true, 'all'],
    ['all', null, 'all'],
    ['all', false, false],
    [false, true, true],
    [true, null, true],
  ] as const)(
    'if `capture` is %j, an edit with `enableTrafficCapture` %j sets `capture` to %j',
    (earlier, enableTrafficCapture, expected) => {
      const before = changeEntryContainer(stored('DynamicContainer'), { capture: earlier })
      expect(entryContainerOf(applyChallengeUpdate(before, { enableTrafficCapture })).capture).toBe(expected)
    },
  )

  test('an edit with a blank template removes the template', () => {
    expect(applyChallengeUpdate(stored('DynamicContainer', { template: 'flag{[GUID]}' }), { flagTemplate: '  ' }).template).toBe(
      '',
    )
  })
})

test('sets distinct tags and the difficulty', () => {
  const { tags, difficulty } = applyChallengeLabels(stored('StaticAttachment'), { tags: [' XSS', 'xss'], difficulty: 'easy' })
  expect([tags, difficulty]).toEqual([['XSS'], 'easy'])
})

test('a stored file has the name with which it was uploaded', () => {
  const fileHash = 'a'.repeat(64)
  expect(fileOfAttachmentSource({ type: 'Local', fileHash }, new Map([[fileHash, 'a.zip']]))).toEqual({
    hash: fileHash,
    name: 'a.zip',
  })
  expect(fileOfAttachmentSource({ type: 'Remote', remoteUrl: 'https://x.org/a' }, new Map())).toEqual({ url: 'https://x.org/a' })
  expect(fileOfAttachmentSource(undefined, new Map())).toBeNull()
})
