import { allChoices } from '@capstan/contract/container-definition'
import { describe, expect, it } from 'vitest'
import { threeContainers } from '../../testing/challenge.ts'
import type { ChallengeForm } from './challenge-form.ts'
import { faultsOfContainers } from './container-faults.ts'
import {
  containersOf,
  resourceSumsOf,
  type TypedContainer,
  typedContainersOf,
  withCopy,
  withEntryContainer,
  withNewContainer,
  withoutContainer,
  withoutSecretValues,
} from './containers-form.ts'

const typed = typedContainersOf({ containers: threeContainers })

function written(containers: readonly TypedContainer[]) {
  expect(faultsOfContainers(containers, threeContainers, allChoices).flatMap((faults) => Object.keys(faults))).toEqual([])
  return containersOf(containers, allChoices)
}

describe('the form of containers', () => {
  it('the form converts containers into form values, and converts these back into the same containers', () => {
    expect(written(typed)).toEqual(threeContainers)
  })

  it('the form renames a container, also in the dependencies of other containers', () => {
    const renamed = typed.map((container) => (container.key === 'db' ? { ...container, name: ' data ' } : container))
    const [page, data] = written(renamed)
    expect([page?.dependsOn, data?.name]).toEqual([[{ name: 'data', when: 'ready' }], 'data'])
  })

  it('the form adds a container with an unused name to the first network of the entry container', () => {
    const [, , , fourth, fifth] = written(withNewContainer(withNewContainer(typed)))
    expect([fourth?.name, fourth?.networks, fourth?.port]).toEqual(['container-2', [{ name: 'front', aliases: [] }], null])
    expect(fifth?.name).toBe('container-3')
  })

  it('the form copies a container without its aliases and without its ports for players', () => {
    const copied = written(withCopy(withCopy(typed, 0), 3))
    expect(copied.slice(3).map(({ name }) => name)).toEqual(['page-2', 'page-3'])
    expect(copied[3]).toMatchObject({ image: 'x/page:1', port: null, capture: false, dependsOn: [{ name: 'db', when: 'ready' }] })
    expect(copied[3]?.definition).toEqual({ furtherPorts: [80] })
    expect(copied[3]?.networks).toEqual([
      { name: 'front', aliases: [] },
      { name: 'back', aliases: [] },
    ])
  })

  it('the form removes a container and the dependencies on it', () => {
    const [page, bot, ...others] = written(withoutContainer(typed, 1))
    expect([page?.dependsOn, bot?.name, others]).toEqual([undefined, 'bot', []])
  })

  it('the next container becomes the entry container when the first one is removed', () => {
    const [entry] = written(withoutContainer(typed, 0))
    expect(entry).toMatchObject({ name: 'db', port: 5432, capture: true, definition: {} })
    expect(withoutContainer(typed.slice(0, 1), 0)).toEqual(typed.slice(0, 1))
  })

  it('a container becomes the entry container, and the port of the previous one becomes an additional port', () => {
    const [bot, page, db] = written(withEntryContainer(typed, 2))
    expect(bot).toMatchObject({ name: 'bot', port: 9000, capture: true, definition: {} })
    expect(bot?.reach).toMatchObject({ speaks: 'tcp' })
    expect(page).toMatchObject({ name: 'page', port: null, capture: false })
    expect(page?.definition).toEqual({ furtherPorts: [80], offeredPorts: [{ port: 80, speaks: 'http' }] })
    expect(db).toEqual(threeContainers[1])
  })

  it('retains the access link of the previous entry container, and reports it if the new entry cannot have one', () => {
    const guarded = typed.map((each, index) => (index === 0 ? { ...each, reach: { ...each.reach, isGuarded: true } } : each))
    const web = { port: '8080', speaks: 'http', isRaw: false, hasOwnCertificate: false, label: '' } as const
    const withWeb = guarded.map((each) => (each.name === 'db' ? { ...each, ports: [web] } : each))
    expect(written(withEntryContainer(withWeb, 1))[0]?.reach).toMatchObject({ speaks: 'http', isGuarded: true })
    const unguardable = withEntryContainer(guarded, 2)
    expect(unguardable[0]?.reach).toMatchObject({ speaks: 'tcp', isGuarded: true })
    expect(faultsOfContainers(unguardable, threeContainers, allChoices)).toEqual([{ reach: { fault: 'guard' } }, {}, {}])
  })

  it('sums the resources, and counts an invalid field as 0', () => {
    expect(resourceSumsOf(typed)).toEqual({ cores: 0.5, memoryMb: 384, storageMb: 768 })
    expect(resourceSumsOf(typed.map((container) => ({ ...container, memoryMb: 'x' }))).memoryMb).toBe(0)
  })

  it('the browser stores the edits without the values of secrets', () => {
    const containers = typed.map((container) => ({ ...container, secrets: [{ name: 'KEY', value: 'hidden' }] }))
    const edits: Partial<ChallengeForm> = { title: 'Seal', containers }
    const stored = withoutSecretValues(edits)
    expect(JSON.stringify(stored)).not.toContain('hidden')
    expect(stored.containers?.[0]?.secrets).toEqual([{ name: 'KEY', value: '' }])
    expect(withoutSecretValues<Partial<ChallengeForm>>({ title: 'Seal' })).toEqual({ title: 'Seal' })
  })
})
