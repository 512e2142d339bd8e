import type { ChallengeEdit } from '@capstan/contract/challenges'
import { describe, expect, it } from 'vitest'
import { challengeFaultsOf, challengeFormOf, challengeUpdateOf } from './challenge-form.ts'
import { checksOf } from './check-list.tsx'

const challenge: ChallengeEdit = {
  id: 7,
  title: 'Gate',
  content: 'Find it.',
  category: 'Web',
  type: 'StaticContainer',
  hints: [],
  flagTemplate: null,
  isEnabled: false,
  acceptedCount: 0,
  fileName: 'attachment',
  attachment: null,
  testContainer: null,
  flags: [],
  containerImage: '',
  memoryLimit: 64,
  cpuCount: 1,
  storageLimit: 256,
  containerExposePort: 80,
  enableTrafficCapture: false,
  originalScore: 1000,
  minScoreRate: 0.29,
  difficulty: 5,
}

describe('a save of a challenge', () => {
  it('sends only changed fields, with numbers as numbers', () => {
    expect(challengeUpdateOf({ cpuCount: '5', minScorePercent: '30', title: ' Gate 2 ', hints: [' a ', ''] })).toEqual({
      cpuCount: 5,
      minScoreRate: 0.3,
      title: 'Gate 2',
      hints: ['a'],
    })
  })

  it('shows a rate as a percentage', () => {
    expect(challengeFormOf(challenge).minScorePercent).toBe('29')
  })
})

describe('the challenge form', () => {
  it('is valid as it comes from the server', () => {
    expect(challengeFaultsOf(challengeFormOf(challenge), 'StaticContainer')).toEqual({})
  })

  it('enforces the bounds of the contract for fields of the type', () => {
    const form = {
      ...challengeFormOf(challenge),
      containerExposePort: '0',
      cpuCount: '1025',
      memoryLimit: '31',
      storageLimit: '127',
      difficulty: '0',
      flagTemplate: 'flag{a}',
      fileName: ' ',
    }
    const shared = { difficulty: 'difficulty' }
    const container = { containerExposePort: 'port', cpuCount: 'cpu', memoryLimit: 'memory', storageLimit: 'storage' }
    expect(challengeFaultsOf(form, 'StaticAttachment')).toEqual(shared)
    expect(challengeFaultsOf(form, 'StaticContainer')).toEqual({ ...shared, ...container })
    expect(challengeFaultsOf(form, 'DynamicContainer')).toEqual({ ...shared, ...container, flagTemplate: 'templateWeak' })
    expect(challengeFaultsOf(form, 'DynamicAttachment')).toEqual({ ...shared, fileName: 'fileName' })
  })
})

it('lists the open steps by type', () => {
  const open = (changed: Partial<ChallengeEdit>) =>
    checksOf({ ...challenge, ...changed }, { hasRun: false, supply: 'short' }).flatMap(({ name, isDone }) =>
      isDone ? [] : [name],
    )
  expect(open({})).toEqual(['flag', 'image', 'ran', 'enabled'])
  expect(open({ type: 'DynamicContainer', containerImage: 'i' })).toEqual(['ran', 'enabled'])
  const flags = [1, 2, 3].map((id) => ({ id, flag: `f${id}`, attachment: null }))
  expect(open({ type: 'DynamicAttachment', flags, isEnabled: true })).toEqual(['files'])
})
