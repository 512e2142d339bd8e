import type { Challenge } from '@capstan/contract/challenge'
import { defaultContainer } from '@capstan/contract/challenge-parts'
import { describe, expect, it } from 'vitest'
import { aChallenge, fullChallengeOf } from '../../testing/challenge.ts'
import { challengeFaultsOf, challengeFormOf, containerFaultsOf, withFormChanges } from './challenge-form.ts'
import { checksOf } from './check-list.tsx'

const challenge = aChallenge({ title: 'Gate', type: 'StaticContainer', minimumShare: 0.29 })
const whole = fullChallengeOf(challenge, { image: 'x:1', definition: { user: 7 } })

describe('saving a challenge', () => {
  it('a save changes only the edited fields, and sends typed numbers as numbers', () => {
    const [container] = whole.challenge.containers
    expect(
      withFormChanges(whole.challenge, {
        containers: challengeFormOf(whole).containers.map((container) => ({ ...container, cpuTenths: '5' })),
        minimumPercent: '30',
        title: ' Gate 2 ',
        hints: [
          { text: ' a ', price: '5' },
          { text: '', price: '0' },
        ],
      }),
    ).toEqual({
      ...whole.challenge,
      ...{ minimumShare: 0.3, title: 'Gate 2', hints: [{ text: 'a', price: 5 }] },
      containers: [{ ...container, reach: { ...container?.reach, isGuarded: false }, cpuTenths: 5 }],
    })
  })
})

describe('the challenge form', () => {
  it('the form shows the stored minimum share of points as a percentage', () => {
    expect(challengeFormOf(whole).minimumPercent).toBe('29')
  })

  it('the form accepts every challenge that the server returns', () => {
    expect(challengeFaultsOf(challengeFormOf(whole), 'StaticContainer')).toEqual({})
    expect(containerFaultsOf(challengeFormOf(whole), whole)).toEqual([{}])
  })

  it("the form applies the contract's limits for the type of the challenge", () => {
    const stored = challengeFormOf(whole)
    const form = {
      ...stored,
      containers: stored.containers.map((container) => ({ ...container, memoryMb: '31' })),
      decay: '0',
      template: 'flag{a}',
      attachmentName: ' ',
    }
    const shared = { decay: 'difficulty' }
    expect(challengeFaultsOf(form, 'StaticAttachment')).toEqual(shared)
    expect(challengeFaultsOf(form, 'DynamicContainer')).toEqual({ ...shared, template: 'templateWeak' })
    expect(challengeFaultsOf(form, 'DynamicAttachment')).toEqual({ ...shared, attachmentName: 'fileName' })
    expect(containerFaultsOf(form, whole)).toEqual([{ memoryMb: { fault: 'memory' } }])
    const withoutContainer = { ...whole, challenge: { ...challenge, type: 'StaticAttachment' as const } }
    expect(containerFaultsOf(form, withoutContainer)).toEqual([])
  })
})

it('the open steps depend on the type of the new challenge', () => {
  const open = (changed: Partial<Challenge>) =>
    checksOf({ ...challenge, description: 'Find it.', ...changed }, { hasRun: false, supply: 'short' }).flatMap(
      ({ name, isDone }) => (isDone ? [] : [name]),
    )
  expect(open({})).toEqual(['flag', 'image', 'ran', 'enabled'])
  expect(open({ type: 'DynamicContainer', containers: [{ ...defaultContainer, image: 'i' }] })).toEqual(['ran', 'enabled'])
  const flags = [1, 2, 3].map((id) => ({ flag: `f${id}`, file: null }))
  expect(open({ type: 'DynamicAttachment', flags, enabled: true })).toEqual(['files'])
})
