import type { Challenge } from '@capstan/contract/challenge'
import { defaultContainer } from '@capstan/contract/challenge-parts'
import { describe, expect, it } from 'vitest'
import { aChallenge, createFullTestChallenge } from '../../testing/challenge.ts'
import { applyFormChanges, findChallengeFaults, findContainerFaults, toChallengeForm } from './challenge-form.ts'
import { listChallengeChecks } from './check-list.tsx'

const challenge = aChallenge({ title: 'Gate', type: 'StaticContainer', minimumShare: 0.29 })
const whole = createFullTestChallenge(challenge, { image: 'x:1', definition: { user: 7 } })

describe('saving a challenge', () => {
  it('a save changes only the edited fields, and sends numbers instead of the entered text', () => {
    const [container] = whole.challenge.containers
    expect(
      applyFormChanges(whole.challenge, {
        containers: toChallengeForm(whole).containers.map((container) => ({ ...container, cpuTenths: '5' })),
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
    expect(toChallengeForm(whole).minimumPercent).toBe('29')
  })

  it('the form accepts every challenge that the server returns', () => {
    expect(findChallengeFaults(toChallengeForm(whole), 'StaticContainer')).toEqual({})
    expect(findContainerFaults(toChallengeForm(whole), whole)).toEqual([{}])
  })

  it("the form applies the contract's limits for the type of the challenge", () => {
    const stored = toChallengeForm(whole)
    const form = {
      ...stored,
      containers: stored.containers.map((container) => ({ ...container, memoryMb: '31' })),
      decay: '0',
      template: 'flag{a}',
      attachmentName: ' ',
    }
    const shared = { decay: 'decay' }
    expect(findChallengeFaults(form, 'StaticAttachment')).toEqual(shared)
    expect(findChallengeFaults(form, 'DynamicContainer')).toEqual({ ...shared, template: 'templateWeak' })
    expect(findChallengeFaults(form, 'DynamicAttachment')).toEqual({ ...shared, attachmentName: 'fileName' })
    expect(findContainerFaults(form, whole)).toEqual([{ memoryMb: { fault: 'memory' } }])
    const withoutContainer = { ...whole, challenge: { ...challenge, type: 'StaticAttachment' as const } }
    expect(findContainerFaults(form, withoutContainer)).toEqual([])
  })
})

it('the open steps depend on the type of the new challenge', () => {
  const open = (changed: Partial<Challenge>) =>
    listChallengeChecks({ ...challenge, description: 'Find it.', ...changed }, { hasRun: false, supply: 'short' }).flatMap(
      ({ name, isDone }) => (isDone ? [] : [name]),
    )
  expect(open({})).toEqual(['flag', 'image', 'ran', 'enabled'])
  expect(open({ type: 'DynamicContainer', containers: [{ ...defaultContainer, image: 'i' }] })).toEqual(['ran', 'enabled'])
  const flags = [1, 2, 3].map((id) => ({ flag: `f${id}`, file: null }))
  expect(open({ type: 'DynamicAttachment', flags, enabled: true })).toEqual(['files'])
})
