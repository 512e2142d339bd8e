import { Value } from 'typebox/value'
import { describe, expect, it, test } from 'vitest'
import {
  type ContainerDefinition,
  ContainerDefinition as Definition,
  findDefinitionFaults,
  listAllowedContainerChoices,
} from './container-definition.ts'
import { ContainerLimits } from './limits.ts'

describe('a container definition', () => {
  it.each<[string, object]>([
    ['nothing at all', {}],
    ['the greatest user', { user: 2_147_483_647 }],
    ['a line of output', { readiness: { line: '서버 is "up" on ★' } }],
    ['a line of output of the maximum length', { readiness: { line: '★'.repeat(256) } }],
    ['a command of readiness', { readiness: { command: ['pg_isready', '-U ctf'] } }],
    ['a path of HTTP with a query', { readiness: { path: '/healthz?deep=1' } }],
    ['a flag that is only in a file', { flag: { variables: [], file: { path: '/flag.txt', mode: '0400', owner: 1000 } } }],
  ])('a container definition with %s is accepted', (_what, definition) => {
    expect(Value.Check(Definition, definition)).toBe(true)
  })

  it.each<[string, object]>([
    ['a user id above the maximum', { user: 2_147_483_648 }],
    ['a relative path', { flag: { file: { path: 'flag.txt' } } }],
    ['a path that ends with a slash', { writablePaths: [{ path: '/tmp/', sizeMb: 1 }] }],
    ['a folder of size 0', { writablePaths: [{ path: '/tmp', sizeMb: 0 }] }],
    ['a mode with more bits than permissions', { flag: { file: { path: '/flag', mode: '4755' } } }],
    ['a name with a space', { environment: [{ name: 'A B', value: '' }] }],
    ['a line of output with a line break', { readiness: { line: 'up\nand running' } }],
    ['a line of output that begins with a space', { readiness: { line: ' up' } }],
    ['an empty command of readiness', { readiness: { command: [] } }],
    ['an empty line of output', { readiness: { line: '' } }],
    ['a line of output that is too long', { readiness: { line: 'x'.repeat(257) } }],
    ['a path of HTTP with a line break', { readiness: { path: '/\nHost: x' } }],
    ['a start timeout above the maximum', { startTimeoutSeconds: ContainerLimits.maxStartTimeoutSeconds + 1 }],
    ['an empty command', { command: [] }],
    ['an invalid name of a Secret', { pullSecret: '../x' }],
    ['an unknown field', { privileged: true }],
  ])('a container definition with %s is rejected', (_what, definition) => {
    expect(Value.Check(Definition, definition)).toBe(false)
  })
})

function faultsOf(definition: ContainerDefinition, ...rest: [choices?: Parameters<typeof findDefinitionFaults>[2]]) {
  return findDefinitionFaults(definition, 1337, ...rest).map(({ at, fault }) => `${at} ${fault}`)
}

describe('a combination of settings', () => {
  it.each<[string, ContainerDefinition, string[]]>([
    [
      'a variable that only the platform sets',
      { environment: [{ name: 'TEAM_ID', value: '1' }] },
      ['/environment/0/name reserved'],
    ],
    [
      'a name that a plain, a secret and a flag variable share',
      { environment: [{ name: 'A', value: '' }], secrets: [{ name: 'A' }], flag: { variables: ['A'] } },
      ['/secrets/0/name twice', '/flag/variables/0 twice'],
    ],
    ['a path that leaves its folder', { writablePaths: [{ path: '/tmp/../etc', sizeMb: 1 }] }, ['/writablePaths/0/path path']],
    ['a file in a system folder', { flag: { file: { path: '/proc/flag' } } }, ['/flag/file/path path']],
    [
      'a folder inside another folder',
      {
        writablePaths: [
          { path: '/run/app', sizeMb: 1 },
          { path: '/run', sizeMb: 1 },
        ],
      },
      ['/writablePaths/1/path overlap'],
    ],
    [
      'a file with the path of a folder',
      { writablePaths: [{ path: '/flag', sizeMb: 1 }], flag: { file: { path: '/flag' } } },
      ['/flag/file/path overlap'],
    ],
    [
      'an offered port that is not open',
      { furtherPorts: [80], offeredPorts: [{ port: 81, speaks: 'tcp' }] },
      ['/offeredPorts/0/port unknownPort'],
    ],
    [
      'a further port that is the entry or repeated',
      { furtherPorts: [80, 1337, 80] },
      ['/furtherPorts/2 twice', '/furtherPorts/1 entry'],
    ],
    ['a line of output together with a port', { readiness: { port: 1337, line: 'up' } }, ['/readiness/line eitherOr']],
    ['a command together with a port', { readiness: { port: 1337, command: ['true'] } }, ['/readiness/command eitherOr']],
    ['a line of output together with a path', { readiness: { path: '/', line: 'up' } }, ['/readiness/line eitherOr']],
    ['a readiness check of a port that is not open', { readiness: { port: 9000 } }, ['/readiness/port unknownPort']],
    ['root with a profile that denies root', { security: 'Restricted', user: 0 }, ['/user root']],
  ])('a combination of settings is refused, with JSON pointers to the faults: %s', (_what, definition, faults) => {
    expect(faultsOf(definition)).toEqual(faults)
  })

  it.each<[string, ContainerDefinition]>([
    ['a file in a writable folder', { writablePaths: [{ path: '/home', sizeMb: 1 }], flag: { file: { path: '/home/flag' } } }],
    [
      'folders whose names have the same start',
      {
        writablePaths: [
          { path: '/run', sizeMb: 1 },
          { path: '/running', sizeMb: 1 },
        ],
      },
    ],
    ['a readiness check of a further port', { furtherPorts: [9000], readiness: { port: 9000 } }],
  ])('a combination of settings is allowed: %s', (_what, definition) => {
    expect(faultsOf(definition)).toEqual([])
  })
})

test('a container definition is refused if it has options that the platform does not allow for challenges', () => {
  const choices = listAllowedContainerChoices({ egress: 'Dns', security: 'Restricted', exposure: 'Proxy', maxContainers: 2 })
  expect(choices).toEqual({ egress: ['None', 'Dns'], security: ['Restricted'], exposure: ['Proxy'], maxContainers: 2 })
  expect(faultsOf({ egress: 'Internet', security: 'Baseline', exposure: 'NodePort', user: 0 }, choices)).toEqual([
    '/egress choice',
    '/security choice',
    '/exposure choice',
  ])
  expect(faultsOf({ user: 0 }, choices)).toEqual(['/user root'])
})
