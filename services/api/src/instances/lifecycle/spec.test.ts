import { expect, test } from 'vitest'
import { createContainerSpecs } from './spec.ts'

const resources = { cpuTenths: 1, memoryMb: 64, storageMb: 128 }
const challenge = {
  ...{ ...resources, port: 80, container: { user: 7 }, containerSecrets: { KEY: 'own' }, firstContainer: {} },
  ...{ furtherContainers: [], furtherContainerSecrets: {} },
}
const entry = { ...resources, image: 'shop:1', port: 80, definition: { user: 7 }, secrets: { KEY: 'own' }, receivesFlag: true }
const db = { ...resources, name: 'db', image: 'db:1', definition: {} }

test('a lone container gets the flag, and has no name, networks or dependencies', () => {
  const firstContainer = { name: 'page', networks: [{ name: 'front', aliases: [] }], receivesFlag: false }
  expect(createContainerSpecs({ ...challenge, firstContainer }, 'shop:1')).toEqual([entry])
})

test('the entry container is the first of several, and has the default name if the challenge sets none', () => {
  const furtherContainers = [{ ...db, networks: [{ name: 'back', aliases: ['store'] }] }]
  const furtherContainerSecrets = { db: { PASSWORD: 'hidden' }, other: { KEY: 'x' } }
  const firstContainer = { dependsOn: [{ name: 'db', when: 'ready' as const }] }
  expect(createContainerSpecs({ ...challenge, firstContainer, furtherContainers, furtherContainerSecrets }, 'shop:1')).toEqual([
    { ...entry, name: 'main', ...firstContainer },
    { ...furtherContainers[0], secrets: { PASSWORD: 'hidden' }, receivesFlag: false },
  ])
})

test('by default, only containers to which players can connect get the flag', () => {
  const offering = { definition: { furtherPorts: [81], offeredPorts: [{ port: 81, speaks: 'tcp' as const }] } }
  const furtherContainers = [
    { ...db, name: 'hidden' },
    { ...db, name: 'chosen', receivesFlag: true },
    { ...db, name: 'offering', ...offering },
    { ...db, name: 'refusing', ...offering, receivesFlag: false },
  ]
  const receiversOf = (firstContainer: { readonly receivesFlag?: boolean }) =>
    createContainerSpecs({ ...challenge, firstContainer, furtherContainers }, 'shop:1').flatMap(({ name, receivesFlag }) =>
      receivesFlag ? [name] : [],
    )
  expect(receiversOf({})).toEqual(['main', 'chosen', 'offering'])
  expect(receiversOf({ receivesFlag: false })).toEqual(['chosen', 'offering'])
})
