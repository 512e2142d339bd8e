import { allChoices } from '@capstan/contract/container-definition'
import type { ChallengeContainer } from '@capstan/contract/containers'
import { expect, it } from 'vitest'
import { threeContainers } from '../../testing/challenge.ts'
import { findFaultsOfContainers } from './container-faults.ts'
import type { TypedPort } from './container-form.ts'
import { type TypedContainer, toTypedContainers } from './containers-form.ts'

const stored = threeContainers
const typed = toTypedContainers({ containers: stored })

function faultsWith(index: number, patch: Partial<TypedContainer>, known: ChallengeContainer[] = stored) {
  const changed = typed.map((container, place) => (place === index ? { ...container, ...patch } : container))
  return findFaultsOfContainers(changed, known, allChoices)
}

function aPort(port: string, speaks: TypedPort['speaks'] = 'inner'): TypedPort {
  return { port, speaks, isRaw: false, hasOwnCertificate: false, label: '' }
}

it('the form accepts unchanged containers of a saved challenge', () => {
  expect(findFaultsOfContainers(typed, stored, allChoices)).toEqual([{}, {}, {}])
})

it.each<[keyof TypedContainer, Partial<TypedContainer>, object]>([
  ['name', { name: 'Page' }, { fault: 'name' }],
  ['port', { port: '0' }, { fault: 'port' }],
  ['cpuTenths', { cpuTenths: '1025' }, { fault: 'cpu' }],
  ['memoryMb', { memoryMb: '31' }, { fault: 'memory' }],
  ['storageMb', { storageMb: '127' }, { fault: 'storage' }],
  ['environment', { environment: 'A=1\n\nB C=2' }, { fault: 'malformed', line: 3 }],
  ['environment', { environment: 'A=1\n\nTEAM_ID=2' }, { fault: 'reserved', line: 3 }],
  ['writablePaths', { writablePaths: '/tmp' }, { fault: 'malformed', line: 1 }],
  ['writablePaths', { writablePaths: '/run 1\n/run/app 1' }, { fault: 'overlap', line: 2 }],
  ['flagPath', { flagPath: 'flag.txt' }, { fault: 'malformed' }],
  ['flagPath', { flagPath: '/proc/flag' }, { fault: 'path' }],
  ['flagMode', { flagMode: '999' }, { fault: 'malformed' }],
  ['user', { user: '0', security: 'Restricted' }, { fault: 'root' }],
  ['secrets', { secrets: [{ name: 'B C', value: '1' }] }, { fault: 'malformed', line: 1 }],
  [
    'secrets',
    {
      secrets: [
        { name: '', value: '' },
        { name: 'NEW', value: '' },
      ],
    },
    { fault: 'missing', line: 2 },
  ],
  ['ports', { ports: [aPort('8080'), aPort('80')] }, { fault: 'entry', line: 2 }],
  ['ports', { ports: [aPort('8080', 'http'), aPort(''), aPort('8080')] }, { fault: 'twice', line: 3 }],
  ['ports', { ports: [aPort('8080'), aPort('x')] }, { fault: 'malformed', line: 2 }],
  [
    'networks',
    {
      networks: [
        { name: 'front', aliases: 'www' },
        { name: 'Back', aliases: '' },
      ],
    },
    { fault: 'malformed', line: 2 },
  ],
  [
    'networks',
    {
      networks: [
        { name: '', aliases: '' },
        { name: 'back', aliases: 'db' },
      ],
    },
    { fault: 'twice', line: 2 },
  ],
  ['readyPort', { readyPort: '9000' }, { fault: 'unknownPort' }],
  ['readyLine', { readyLine: 'serving', readyPath: '/healthz' }, { fault: 'eitherOr' }],
  ['readyCommand', { readyCommand: 'true', readyPort: '80' }, { fault: 'eitherOr' }],
  ['readyLine', { readyLine: 'x'.repeat(257) }, { fault: 'malformed' }],
  ['readyLine', { readyLine: 'one\ttwo' }, { fault: 'malformed' }],
  ['startTimeoutSeconds', { startTimeoutSeconds: '601' }, { fault: 'malformed' }],
])('at the field %s of the first container, reports the error that %j causes', (field, patch, fault) => {
  expect(faultsWith(0, patch)).toEqual([{ [field]: fault }, {}, {}])
})

it('a duplicate container name is reported at its field, and at the network that both containers share', () => {
  const twice = { fault: 'twice', line: 1 }
  expect(faultsWith(2, { name: 'page' })).toEqual([{}, {}, { name: { fault: 'twice' }, networks: twice }])
})

it('a circular dependency of two containers is reported at both containers', () => {
  const faults = faultsWith(1, { dependsOn: [{ key: 'page', when: 'started' }] })
  expect(faults).toEqual([{ dependsOn: { fault: 'cycle' } }, { dependsOn: { fault: 'cycle' } }, {}])
})

it('a published port is reported if an earlier container publishes the same port', () => {
  const faults = faultsWith(2, { ports: [aPort('9000'), aPort('80', 'http')] })
  expect(faults).toEqual([{}, {}, { ports: { fault: 'twice', line: 2 } }])
})

it('the values of secrets are required again after a container was renamed', () => {
  const secrets = [{ name: 'PASSWORD', value: '' }]
  const known = stored.map((container) =>
    container.name === 'db' ? { ...container, definition: { secrets: [{ name: 'PASSWORD' }] } } : container,
  )
  expect(faultsWith(1, { secrets }, known)).toEqual([{}, {}, {}])
  expect(faultsWith(1, { secrets, name: 'data' }, known)[1]).toEqual({ secrets: { fault: 'missing', line: 1 } })
})

it('if a challenge may have two containers, the name field of a third container has a fault', () => {
  const faults = findFaultsOfContainers(typed, stored, { ...allChoices, maxContainers: 2 })
  expect(faults).toEqual([{}, {}, { name: { fault: 'many' } }])
})
