import { entryPortLabel, instanceIdLabel, ownerLabel, planLabel } from '@capstan/challenge-instance/labels'
import { deriveInstanceName } from '@capstan/challenge-instance/names'
import type { StoredContainer } from '@capstan/contract/container-definition'
import { expect, test } from 'vitest'
import type { EntryContainerSpec, InstanceSpec } from '../runtime.ts'
import { createEngineSettings } from '../testing/engine-settings.ts'
import { anAdditionalContainer, anEntryContainer, anInstanceSpec } from '../testing/instance-spec.ts'
import {
  type PlannedNetwork,
  planContainers,
  planNetworks,
  portOfReadinessProbe,
  refuseUnsupportedContainerSettings,
} from './plan.ts'
import {
  argumentsOfCreateCommand,
  argumentsOfNetworkConnectCommands,
  argumentsOfNetworkCreateCommand,
  formatVariablesFile,
} from './run-arguments.ts'

const settings = createEngineSettings('us')

function planned(spec: InstanceSpec) {
  return planContainers(spec, settings)
}
function withEntry(values: Partial<EntryContainerSpec>): InstanceSpec {
  return anInstanceSpec({ containers: [anEntryContainer(values)] })
}
function entryOf(spec: InstanceSpec) {
  return planned(spec)[0]!
}
function argumentsOf(spec: InstanceSpec, file?: string) {
  return argumentsOfCreateCommand(spec, entryOf(spec), settings, file)
}
function refusalOf(spec: InstanceSpec) {
  return refuseUnsupportedContainerSettings(entryOf(spec))
}

test('without settings, the image is the last argument; no argument contains the flag', () => {
  const { args, env } = argumentsOf(anInstanceSpec())
  expect(args.at(-1)).toBe('echo:1')
  expect(args.join(' ')).not.toContain('flag{x}')
  expect(args).not.toContain('--network')
  expect(env).toEqual({ FLAG: 'flag{x}', CTF_FLAG: 'flag{x}' })
  expect(formatVariablesFile(entryOf(anInstanceSpec()))).toBe('')
})

test.each<[string, StoredContainer, number | undefined]>([
  ['no port', {}, undefined],
  ['ports', { furtherPorts: [9000, 9001] }, 9000],
  ['ports and a path', { furtherPorts: [9000, 9001], readiness: { path: '/' } }, 9000],
  ['a probed port', { furtherPorts: [9000, 9001], readiness: { port: 9001 } }, 9001],
  ['ports and a line', { furtherPorts: [9000], readiness: { line: 'up' } }, undefined],
])('an additional container with %s is probed at the same port as on a cluster', (_, definition, port) => {
  const [, further] = planned(
    anInstanceSpec({ containers: [anEntryContainer({ name: 'page' }), anAdditionalContainer('db', { definition })] }),
  )
  expect(portOfReadinessProbe(further!.plan, further!.entryPort)).toBe(port)
})

test('passes program, arguments, user and folders to the engine', () => {
  const definition = {
    command: ['/bin/sh', '-c'],
    args: ['echo $FLAG'],
    environment: [{ name: 'MODE', value: 'hard=1' }],
    user: 1000,
    group: 2000,
    readOnlyRoot: true,
    writablePaths: [{ path: '/tmp', sizeMb: 8 }],
  }
  const { args } = argumentsOf(withEntry({ definition }))
  expect(args.slice(args.indexOf('echo:1'))).toEqual(['echo:1', '-c', 'echo $FLAG'])
  expect(args.join(' ')).toContain(
    '--env TEAM_ID=4 --env FLAG --env CTF_FLAG --user 1000:2000 --read-only --tmpfs /tmp:rw,exec,mode=1777,size=8m --entrypoint /bin/sh',
  )
  expect(args).toContain('MODE=hard=1')
})

test('the engine gets secret variables and flags with custom names in a file, not in its environment', () => {
  const spec = withEntry({ definition: { flag: { variables: ['DOCKER_HOST'] } }, secrets: { LD_PRELOAD: 'x' } })
  const { args, env } = argumentsOf(spec, '/tmp/variables')
  expect(env).toEqual({})
  expect(args.join(' ')).toContain('--env-file /tmp/variables')
  expect(formatVariablesFile(entryOf(spec))).toBe('LD_PRELOAD=x\nDOCKER_HOST=flag{x}\n')
})

test('settings that an engine does not support are refused with an explanation', () => {
  expect(refusalOf(anInstanceSpec())).toBeUndefined()
  expect(refusalOf(withEntry({ definition: { flag: { file: { path: '/flag' } } } }))).toContain('needs a cluster')
  for (const image of ['--privileged', '-v=/:/host', '', ' echo:1'])
    expect(refusalOf(withEntry({ image, definition: { args: ['echo:1'] } }))).toContain('begins with a letter')
  expect(refusalOf(withEntry({ secrets: { KEY: 'one\ntwo' } }))).toContain('one line')
})

test('a container publishes every port, and has a label for the entry port', () => {
  const { args } = argumentsOf(withEntry({ definition: { furtherPorts: [9000] } }))
  expect(args.join(' ')).toContain('--publish 127.0.0.1::1337 --publish 127.0.0.1::9000')
  expect(args).toContain(`${entryPortLabel}=1337`)
})

/** Challenge with a page, a database in an inner network, and a bot that may reach the internet. */
function threeContainers() {
  const db = anAdditionalContainer('db', {
    networks: [{ name: 'back', aliases: ['store'] }],
    receivesFlag: true,
    definition: { readiness: { command: ['pg_isready'] } },
    secrets: { KEY: 'k' },
  })
  const bot = anAdditionalContainer('bot', {
    receivesFlag: true,
    networks: [{ name: 'front', aliases: [] }],
    definition: { egress: 'Internet', furtherPorts: [9000], offeredPorts: [{ port: 9000, speaks: 'tcp' }] },
  })
  const networks = ['front', 'back'].map((name) => ({ name, aliases: [] }))
  const page = anEntryContainer({
    name: 'page',
    networks,
    dependsOn: [{ name: 'db', when: 'ready' }],
    receivesFlag: false,
  })
  const spec = anInstanceSpec({ containers: [page, db, bot] })
  return { spec, ...{ name: deriveInstanceName(spec.id), containers: planned(spec) } }
}

test('a container with ports or internet access gets a network in addition to the networks of the challenge', () => {
  const { spec, name, containers } = threeContainers()
  const networks = planNetworks(containers, settings)
  expect(networks).toEqual([
    { name: `${name}.door`, kind: 'door' },
    { name: `${name}.net.front`, kind: 'inner' },
    { name: `${name}.net.back`, kind: 'inner' },
    { name: `${name}-bot.door`, kind: 'egress' },
  ])
  const labels = ['--label', `${ownerLabel}=us`, '--label', `${instanceIdLabel}=${spec.id}`]
  const [door, front, , egress] = networks
  const create = ['network', 'create', ...labels]
  const masquerade = 'com.docker.network.bridge.enable_ip_masquerade=false'
  expect(argumentsOfNetworkCreateCommand(spec.id, door!, settings, 'docker')).toEqual([
    ...create,
    '--opt',
    masquerade,
    `${name}.door`,
  ])
  const podman = (network: PlannedNetwork) =>
    argumentsOfNetworkCreateCommand(spec.id, network, settings, 'podman').slice(create.length)
  expect(podman(door!)).toEqual(['--opt', 'isolate=true', '--opt', 'no_default_route=1', `${name}.door`])
  expect(podman(egress!)).toEqual(['--opt', 'isolate=true', `${name}-bot.door`])
  expect(argumentsOfNetworkCreateCommand(spec.id, front!, settings, 'docker')).toEqual([
    ...create,
    '--internal',
    `${name}.net.front`,
  ])
  expect(argumentsOfNetworkCreateCommand(spec.id, egress!, settings, 'docker')).toEqual([...create, `${name}-bot.door`])
})

test('each container joins its networks under its name and aliases, and publishes only its ports', () => {
  const { spec, name, containers } = threeContainers()
  const [page, db, bot] = containers.map((container) => argumentsOfCreateCommand(spec, container, settings).args.join(' '))
  expect(page).toContain(`--hostname page --network ${name}.door --env`)
  expect(page).toContain('--publish 127.0.0.1::1337 echo:1')
  expect(argumentsOfNetworkConnectCommands(containers[0]!)).toEqual([
    ['network', 'connect', '--alias', 'page', `${name}.net.front`, name],
    ['network', 'connect', '--alias', 'page', `${name}.net.back`, name],
  ])
  expect(db).toContain(`--name ${name}-db`)
  expect(db).toContain(`--hostname db --network ${name}.net.back --network-alias db --network-alias store`)
  expect(db).not.toContain('--publish')
  expect(argumentsOfNetworkConnectCommands(containers[1]!)).toEqual([])
  expect(bot).toContain('--publish 127.0.0.1::9000')
  expect(argumentsOfNetworkConnectCommands(containers[2]!)).toEqual([
    ['network', 'connect', '--alias', 'bot', `${name}.net.front`, `${name}-bot`],
  ])
})

test('a container has the flag in its environment only if its settings request the flag', () => {
  const { spec, containers } = threeContainers()
  expect(containers.map((container) => argumentsOfCreateCommand(spec, container, settings).env.FLAG)).toEqual([
    undefined,
    'flag{x}',
    'flag{x}',
  ])
  expect(containers.map(formatVariablesFile)).toEqual(['', 'KEY=k\n', ''])
})

test('each container has a label with its plan, so that a restarted platform can continue the start', () => {
  const { spec, containers } = threeContainers()
  const plans = containers.map((container) => {
    const { args } = argumentsOfCreateCommand(spec, container, settings)
    return JSON.parse(args.find((arg) => arg.startsWith(planLabel))!.slice(planLabel.length + 1)) as unknown
  })
  const members = ['page', 'db', 'bot']
  const limits = { cpuMillicores: 100, memoryBytes: 67_108_864 }
  expect(plans).toEqual([
    { name: 'page', members, limits, dependsOn: [{ name: 'db', when: 'ready' }], ports: [1337] },
    { name: 'db', members, limits, ports: [], readiness: { command: ['pg_isready'] } },
    { name: 'bot', members, limits, ports: [9000] },
  ])
})

test('a port that only the readiness check uses is published on 127.0.0.1', () => {
  const cache = anAdditionalContainer('cache', { definition: { readiness: { port: 6379 } } })
  const spec = anInstanceSpec({ containers: [anEntryContainer({ name: 'page' }), cache] })
  const [, planned] = planContainers(spec, settings)
  expect(planned!.plan.ports).toEqual([])
  expect(argumentsOfCreateCommand(spec, planned!, settings).args.join(' ')).toContain('--publish 127.0.0.1::6379')
})

test('no egress network is created if the platform does not allow egress', () => {
  const bot = anAdditionalContainer('bot', { definition: { egress: 'Internet' } })
  const narrow = { ...settings, choices: { egress: ['None' as const] } }
  const containers = planContainers(anInstanceSpec({ containers: [anEntryContainer({ name: 'page' }), bot] }), narrow)
  expect(planNetworks(containers, narrow).map(({ kind }) => kind)).toEqual(['door', 'inner'])
})
