import type { ContainerDefinition } from '@capstan/contract/container-definition'
import { expect, it, test } from 'vitest'
import {
  additionalPortsOf,
  type ContainerFields,
  createContainerDefinition,
  normalizeContainerDefinition,
  toContainerFields,
} from './container.ts'

const ports = [{ port: 80 }, { port: 8080 }, { port: 80 }]
function secretOf(variable: string) {
  return variable === 'KEY_OF_CI' ? 'hidden' : null
}

test('every setting in a challenge file becomes part of the container definition', () => {
  const rule: ContainerFields = {
    command: ['/bin/serve'],
    environment: { MODE: 'hard', KEY: { secret: 'KEY_OF_CI' }, OTHER: { secret: 'NOBODY' } },
    flag: { environment: 'THE_FLAG', file: '/flag.txt' },
    egress: true,
    readOnlyRoot: true,
    writablePaths: [{ path: '/tmp', sizeMb: 4 }],
  }
  expect(createContainerDefinition({ ...rule, ports }, true, secretOf)).toEqual({
    command: ['/bin/serve'],
    environment: [{ name: 'MODE', value: 'hard' }],
    secrets: [
      { name: 'KEY', value: 'hidden' },
      { name: 'OTHER', value: null },
    ],
    flag: { variables: ['THE_FLAG'], file: { path: '/flag.txt' } },
    egress: 'Internet',
    furtherPorts: [8080],
    readOnlyRoot: true,
    writablePaths: [{ path: '/tmp', sizeMb: 4 }],
  })
})

test('an additional port is shown to players only if the file contains its protocol', () => {
  const ports = [
    { port: 80 },
    { port: 81, speaks: 'tcp', ownCertificate: true },
    { port: 82 },
    { port: 83, speaks: 'http', raw: true },
  ] as const
  const definition = createContainerDefinition({ ports }, true, secretOf)
  expect(definition).toEqual({
    furtherPorts: [81, 82, 83],
    offeredPorts: [
      { port: 81, speaks: 'tcp', hasOwnCertificate: true },
      { port: 83, speaks: 'http', isRaw: true },
    ],
  })
  expect(additionalPortsOf(definition)).toEqual(ports.slice(1))
  expect(toContainerFields(definition)).toEqual({})
  expect(normalizeContainerDefinition(definition, 80)).toEqual(definition)
})

test('a file without container settings results in an empty definition', () => {
  expect(createContainerDefinition({ ports: [{ port: 80 }], command: [] as unknown as string[] }, true, secretOf)).toEqual({})
})

test('a container that reads its flag from a file gets no variable with the flag', () => {
  expect(createContainerDefinition({ ports, flag: { file: '/flag' } }, true, secretOf).flag).toEqual({
    variables: [],
    file: { path: '/flag' },
  })
})

it.each<[string, ContainerDefinition]>([
  ['nothing', {}],
  ['a flag that is only in a file', { flag: { variables: [], file: { path: '/flag', mode: '0400', owner: 1000 } } }],
  ['a flag in no variable and no file', { flag: { variables: [] } }],
  ['a flag in several variables', { flag: { variables: ['A', 'B'] } }],
  ['a line of output that shows readiness', { readiness: { line: 'listening on' } }],
  ['a command that shows readiness', { readiness: { command: ['pg_isready', '-U ctf'] } }],
  [
    'everything',
    {
      command: ['/bin/serve'],
      args: ['-v'],
      environment: [{ name: 'MODE', value: 'hard' }],
      user: 1,
      group: 2,
      readOnlyRoot: false,
      egress: 'Dns',
      security: 'Restricted',
      exposure: 'Proxy',
      readiness: { path: '/' },
      startTimeoutSeconds: 9,
      pullSecret: 'registry',
    },
  ],
])('%s is unchanged after it is written to a file and read again', (_what, definition) => {
  expect(createContainerDefinition({ ...toContainerFields(definition), ports: [{ port: 80 }] }, true, secretOf)).toEqual(
    definition,
  )
})

test('a written file contains only the name of a secret, not its value', () => {
  const fields = toContainerFields({ secrets: [{ name: 'KEY', value: 'hidden' }] })
  expect(fields).toEqual({ environment: { KEY: { secret: 'KEY' } } })
})

test('equal definitions have the same normal form, which does not contain their secrets', () => {
  const stored: ContainerDefinition = {
    readiness: { path: '/', port: 81 },
    flag: { file: { owner: 0, mode: '0444', path: '/flag' } },
    furtherPorts: [81],
    secrets: [{ name: 'KEY' }],
    environment: [],
  }
  const plain = { flag: { variables: ['FLAG'], file: { path: '/flag' } }, furtherPorts: [81], readiness: { port: 81, path: '/' } }
  expect(JSON.stringify(normalizeContainerDefinition(stored, 80))).toBe(JSON.stringify(plain))
})
