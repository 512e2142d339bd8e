import { allChoices } from '@capstan/contract/container-definition'
import { describe, expect, it } from 'vitest'
import { threeContainers } from '../../testing/challenge.ts'
import type { ChallengeForm } from './challenge-form.ts'
import { findFaultsOfContainers } from './container-faults.ts'
import {
  addContainerCopy,
  addEmptyContainer,
  moveToEntryContainer,
  removeContainer,
  removeSecretValues,
  sumContainerResources,
  type TypedContainer,
  toChallengeContainers,
  toTypedContainers,
} from './containers-form.ts'

const typed = toTypedContainers({ containers: threeContainers })

function written(containers: readonly TypedContainer[]) {
  expect(findFaultsOfContainers(containers, threeContainers, allChoices).flatMap((faults) => Object.keys(faults))).toEqual([])
  return toChallengeContainers(containers, allChoices)
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
    const [, , , fourth, fifth] = written(addEmptyContainer(addEmptyContainer(typed)))
    expect([fourth?.name, fourth?.networks, fourth?.port]).toEqual(['container-2', [{ name: 'front', aliases: [] }], null])
    expect(fifth?.name).toBe('container-3')
  })

  it('the form copies a container without its aliases and without its ports for players', () => {
    const copied = written(addContainerCopy(addContainerCopy(typed, 0), 3))
    expect(copied.slice(3).map(({ name }) => name)).toEqual(['page-2', 'page-3'])
    expect(copied[3]).toMatchObject({ image: 'x/page:1', port: null, capture: false, dependsOn: [{ name: 'db', when: 'ready' }] })
    expect(copied[3]?.definition).toEqual({ furtherPorts: [80] })
    expect(copied[3]?.networks).toEqual([
      { name: 'front', aliases: [] },
      { name: 'back', aliases: [] },
    ])
  })

  it('the form removes a container and the dependencies on it', () => {
    const [page, bot, ...others] = written(removeContainer(typed, 1))
    expect([page?.dependsOn, bot?.name, others]).toEqual([undefined, 'bot', []])
  })

  it('the next container becomes the entry container when the first one is removed', () => {
    const [entry] = written(removeContainer(typed, 0))
    expect(entry).toMatchObject({ name: 'db', port: 5432, capture: true, definition: {} })
    expect(removeContainer(typed.slice(0, 1), 0)).toEqual(typed.slice(0, 1))
  })

  it('a container becomes the entry container, and the port of the previous one becomes an additional port', () => {
    const [bot, page, db] = written(moveToEntryContainer(typed, 2))
    expect(bot).toMatchObject({ name: 'bot', port: 9000, capture: true, definition: {} })
    expect(bot?.reach).toMatchObject({ speaks: 'tcp' })
    expect(page).toMatchObject({ name: 'page', port: null, capture: false })
    expect(page?.definition).toEqual({ furtherPorts: [80], offeredPorts: [{ port: 80, speaks: 'http' }] })
    expect(db).toEqual(threeContainers[1])
  })

  it('a new entry container retains the access link of the previous one, or is reported if it cannot have an access link', () => {
    const guarded = typed.map((each, index) => (index === 0 ? { ...each, reach: { ...each.reach, isGuarded: true } } : each))
    const web = { port: '8080', speaks: 'http', isRaw: false, hasOwnCertificate: false, label: '' } as const
    const withWeb = guarded.map((each) => (each.name === 'db' ? { ...each, ports: [web] } : each))
    expect(written(moveToEntryContainer(withWeb, 1))[0]?.reach).toMatchObject({ speaks: 'http', isGuarded: true })
    const unguardable = moveToEntryContainer(guarded, 2)
    expect(unguardable[0]?.reach).toMatchObject({ speaks: 'tcp', isGuarded: true })
    expect(findFaultsOfContainers(unguardable, threeContainers, allChoices)).toEqual([{ reach: { fault: 'guard' } }, {}, {}])
  })

  it('the form sums the resources of containers, and counts an invalid field as 0', () => {
    expect(sumContainerResources(typed)).toEqual({ cores: 0.5, memoryMb: 384, storageMb: 768 })
    expect(sumContainerResources(typed.map((container) => ({ ...container, memoryMb: 'x' }))).memoryMb).toBe(0)
  })

  it('the browser stores the edits without the values of secrets', () => {
    const containers = typed.map((container) => ({ ...container, secrets: [{ name: 'KEY', value: 'hidden' }] }))
    const edits: Partial<ChallengeForm> = { title: 'Seal', containers }
    const stored = removeSecretValues(edits)
    expect(JSON.stringify(stored)).not.toContain('hidden')
    expect(stored.containers?.[0]?.secrets).toEqual([{ name: 'KEY', value: '' }])
    expect(removeSecretValues<Partial<ChallengeForm>>({ title: 'Seal' })).toEqual({ title: 'Seal' })
  })
})
