import type { Challenge } from '@capstan/contract/challenge'
import { defaultContainer } from '@capstan/contract/challenge-parts'
import { describe, expect, it } from 'vitest'
import { aChallenge, fullChallengeOf } from '../../testing/challenge.ts'
import { challengeFaultsOf, challengeFormOf, withFormChanges } from './challenge-form.ts'
import { checksOf } from './check-list.tsx'

const challenge = aChallenge({ title: 'Gate', type: 'StaticContainer', minimumShare: 0.29 })
const whole = fullChallengeOf(challenge, { image: 'x:1', definition: { user: 7 } })

describe('saving a challenge', () => {
  it('sends only changed fields, and numbers as numbers', () => {
    const [container] = whole.challenge.containers
    expect(
      withFormChanges(whole.challenge, {
        cpuTenths: '5',
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
      containers: [{ ...container, cpuTenths: 5 }],
    })
  })

  it('shows a share as a percentage', () => {
    expect(challengeFormOf(whole).minimumPercent).toBe('29')
  })
})

describe('the challenge form', () => {
  it('accepts every challenge that the server returns', () => {
    expect(challengeFaultsOf(challengeFormOf(whole), 'StaticContainer')).toEqual({})
  })

  it("applies the limits of the contract to the fields of the challenge's type", () => {
    const form = {
      ...challengeFormOf(whole),
      port: '0',
      cpuTenths: '1025',
      memoryMb: '31',
      storageMb: '127',
      decay: '0',
      template: 'flag{a}',
      attachmentName: ' ',
    }
    const shared = { decay: 'difficulty' }
    const container = { port: 'port', cpuTenths: 'cpu', memoryMb: 'memory', storageMb: 'storage' }
    expect(challengeFaultsOf(form, 'StaticAttachment')).toEqual(shared)
    expect(challengeFaultsOf(form, 'StaticContainer')).toEqual({ ...shared, ...container })
    expect(challengeFaultsOf(form, 'DynamicContainer')).toEqual({ ...shared, ...container, template: 'templateWeak' })
    expect(challengeFaultsOf(form, 'DynamicAttachment')).toEqual({ ...shared, attachmentName: 'fileName' })
  })
})

it('the list of open steps depends on the type of the challenge', () => {
  const open = (changed: Partial<Challenge>) =>
    checksOf({ ...challenge, description: 'Find it.', ...changed }, { hasRun: false, supply: 'short' }).flatMap(
      ({ name, isDone }) => (isDone ? [] : [name]),
    )
  expect(open({})).toEqual(['flag', 'image', 'ran', 'enabled'])
  expect(open({ type: 'DynamicContainer', containers: [{ ...defaultContainer, image: 'i' }] })).toEqual(['ran', 'enabled'])
  const flags = [1, 2, 3].map((id) => ({ flag: `f${id}`, file: null }))
  expect(open({ type: 'DynamicAttachment', flags, enabled: true })).toEqual(['files'])
})
