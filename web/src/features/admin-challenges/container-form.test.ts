import { allChoices, type ContainerDefinition } from '@capstan/contract/container-definition'
import { expect, it } from 'vitest'
import { containerFormOf, definitionOf, formFaultsOf } from './container-form.ts'

const whole: ContainerDefinition = {
  command: ['/bin/sh', '-c'],
  args: ['echo  two words'],
  environment: [{ name: 'MODE', value: 'a=b' }],
  secrets: [{ name: 'KEY' }],
  flag: { variables: ['A', 'B'], file: { path: '/flag', mode: '0400', owner: 0 } },
  user: 0,
  group: 1,
  readOnlyRoot: true,
  writablePaths: [{ path: '/tmp', sizeMb: 8 }],
  egress: 'Dns',
  security: 'Baseline',
  exposure: 'Proxy',
  furtherPorts: [8080, 9000],
  offeredPorts: [{ port: 8080, speaks: 'http' }],
  readiness: { path: '/healthz', port: 8080 },
  startTimeoutSeconds: 60,
  pullSecret: 'registry',
}

it.each<[string, ContainerDefinition]>([
  ['everything', whole],
  ['nothing', {}],
  ['a line', { readiness: { line: 'serving "all" on ★' } }],
  ['a flag in a file alone', { flag: { variables: [], file: { path: '/flag' } } }],
])('converts %s into a form and back', (_what, definition) => {
  const form = containerFormOf(definition)
  expect(formFaultsOf(form, 80, allChoices)).toEqual({})
  expect(definitionOf(form, allChoices)).toEqual(definition)
})

it('parses a further port with protocol, raw access and TLS', () => {
  const furtherPorts = '8080/http/raw 8443/http/raw/certificate 9000/tcp/certificate 9001'
  const definition = definitionOf({ ...containerFormOf({}), furtherPorts }, allChoices)
  expect(definition).toEqual({
    furtherPorts: [8080, 8443, 9000, 9001],
    offeredPorts: [
      { port: 8080, speaks: 'http', isRaw: true },
      { port: 8443, speaks: 'http', isRaw: true, hasOwnCertificate: true },
      { port: 9000, speaks: 'tcp', hasOwnCertificate: true },
    ],
  })
  expect(containerFormOf(definition).furtherPorts).toBe(furtherPorts)
})

it('sends a newly typed secret, and retains the others', () => {
  const form = {
    ...containerFormOf({}),
    secrets: [
      { name: 'OLD', value: '' },
      { name: ' NEW ', value: 'x' },
      { name: '', value: '' },
    ],
  }
  expect(definitionOf(form, allChoices)).toEqual({ secrets: [{ name: 'OLD' }, { name: 'NEW', value: 'x' }] })
})

it.each([
  ['environment', { environment: 'A=1\n\nB C=2' }, { fault: 'malformed', line: 3 }],
  ['environment', { environment: 'A=1\n\nTEAM_ID=2' }, { fault: 'reserved', line: 3 }],
  ['writablePaths', { writablePaths: '/tmp' }, { fault: 'malformed', line: 1 }],
  ['writablePaths', { writablePaths: '/run 1\n/run/app 1' }, { fault: 'overlap', line: 2 }],
  ['flagPath', { flagPath: 'flag.txt' }, { fault: 'malformed' }],
  ['flagPath', { flagPath: '/proc/flag' }, { fault: 'path' }],
  ['flagMode', { flagMode: '999' }, { fault: 'malformed' }],
  ['user', { user: '0', security: 'Restricted' }, { fault: 'root' }],
  ['furtherPorts', { furtherPorts: '8080, 80' }, { fault: 'entry' }],
  ['furtherPorts', { furtherPorts: '8080/http 8080' }, { fault: 'twice' }],
  ['furtherPorts', { furtherPorts: '8080/udp' }, { fault: 'malformed' }],
  ['furtherPorts', { furtherPorts: '8080/tcp/raw' }, { fault: 'malformed' }],
  ['furtherPorts', { furtherPorts: '8080/http/raw/raw' }, { fault: 'malformed' }],
  ['furtherPorts', { furtherPorts: '8080/' }, { fault: 'malformed' }],
  ['readyPort', { readyPort: '9000' }, { fault: 'unknownPort' }],
  ['readyLine', { readyLine: 'serving', readyPath: '/healthz' }, { fault: 'eitherOr' }],
  ['readyLine', { readyLine: 'x'.repeat(257) }, { fault: 'malformed' }],
  ['readyLine', { readyLine: 'one\ttwo' }, { fault: 'malformed' }],
  ['startTimeoutSeconds', { startTimeoutSeconds: '601' }, { fault: 'malformed' }],
] as const)('reports at the field %s the error of %j', (field, typed, fault) => {
  expect(formFaultsOf({ ...containerFormOf({}), ...typed }, 80, allChoices)[field]).toEqual(fault)
})
