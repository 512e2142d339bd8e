import { allChoices, type ContainerDefinition } from '@capstan/contract/container-definition'
import { expect, it } from 'vitest'
import { toContainerDefinition, toContainerForm } from './container-form.ts'

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
  ['a command of readiness', { readiness: { command: ['pg_isready', '-U ctf'] } }],
  ['a flag in a file alone', { flag: { variables: [], file: { path: '/flag' } } }],
])('converts %s into a form and back', (_what, definition) => {
  const form = toContainerForm(definition)
  expect(toContainerDefinition(form, allChoices)).toEqual(definition)
})

it('ports with protocol, raw access and TLS are converted into a form and back', () => {
  const definition: ContainerDefinition = {
    furtherPorts: [8080, 8443, 9000, 9001],
    offeredPorts: [
      { port: 8080, speaks: 'http', isRaw: true },
      { port: 8443, speaks: 'http', isRaw: true, hasOwnCertificate: true },
      { port: 9000, speaks: 'tcp', hasOwnCertificate: true },
    ],
  }
  const form = toContainerForm(definition)
  expect(form.ports.map(({ port, speaks }) => [port, speaks])).toEqual([
    ['8080', 'http'],
    ['8443', 'http'],
    ['9000', 'tcp'],
    ['9001', 'inner'],
  ])
  expect(
    toContainerDefinition(
      { ...form, ports: [...form.ports, { port: ' ', speaks: 'http', isRaw: true, hasOwnCertificate: false, label: '' }] },
      allChoices,
    ),
  ).toEqual(definition)
})

it('the request contains a newly entered secret, and retains the stored secrets', () => {
  const form = {
    ...toContainerForm({}),
    secrets: [
      { name: 'OLD', value: '' },
      { name: ' NEW ', value: 'x' },
      { name: '', value: '' },
    ],
  }
  expect(toContainerDefinition(form, allChoices)).toEqual({ secrets: [{ name: 'OLD' }, { name: 'NEW', value: 'x' }] })
})
