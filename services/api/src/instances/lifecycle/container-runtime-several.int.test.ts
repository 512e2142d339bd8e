import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { deriveInstanceName } from '@capstan/challenge-instance/names'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../server/http/clock.ts'
import { createContainerRuntime } from './container-runtime.ts'
import type { AdditionalContainerSpec, EntryContainerSpec, InstanceRuntime, InstanceSpec } from './runtime.ts'
import { createEngineSettings } from './testing/engine-settings.ts'
import { anAdditionalContainer, anEntryContainer, anInstanceSpec } from './testing/instance-spec.ts'
import { sendLine } from './testing/send-line.ts'

const script = fileURLToPath(new URL('./testing/fake-engine.mjs', import.meta.url))
const within = { timeout: 120_000 }

let state: string
beforeAll(async () => {
  state = await mkdtemp(path.join(tmpdir(), 'capstan-engine-'))
  process.env.FAKE_ENGINE_STATE = state
})
afterAll(async () => {
  delete process.env.FAKE_ENGINE_STATE
  await rm(state, { recursive: true })
})

function aRuntime(owner: string) {
  const runtime = createContainerRuntime({
    clock: systemClock,
    engine: { program: process.execPath, prefix: [script] },
    settings: createEngineSettings(owner),
    log: { warn: () => {} },
    pollIntervalMs: 2_000,
  })
  onTestFinished(() => runtime.close())
  return runtime
}

/** Returns the specification of an instance whose entry container is `page`. */
function aSpec(others: readonly AdditionalContainerSpec[], entry: Partial<EntryContainerSpec> = {}): InstanceSpec {
  return anInstanceSpec({ containers: [anEntryContainer({ name: 'page', ...entry }), ...others] })
}

function stateOf(runtime: InstanceRuntime, { id }: InstanceSpec) {
  return runtime.find(id)?.state
}
function reasonsOf(runtime: InstanceRuntime, { id }: InstanceSpec) {
  return Object.fromEntries((runtime.containers?.find(id) ?? []).map(({ name, reason }) => [name, reason]))
}

async function whenReady(runtime: InstanceRuntime, spec: InstanceSpec) {
  await expect.poll(() => stateOf(runtime, spec), within).toMatchObject({ kind: 'ready' })
  const found = stateOf(runtime, spec)
  if (found?.kind !== 'ready') throw new Error('Not ready')
  return found
}

/** Returns the files that the engine stores about the instance. */
async function storedOf({ id }: InstanceSpec): Promise<string[]> {
  return (await readdir(state)).filter((name) => name.startsWith(deriveInstanceName(id)))
}

async function removeContainers(...names: string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [script, 'rm', '--force', ...names])
}

async function startedAt({ id }: InstanceSpec, container = ''): Promise<number> {
  return (
    JSON.parse(await readFile(path.join(state, `${deriveInstanceName(id)}${container}.json`), 'utf8')) as { startedAt: number }
  ).startedAt
}

const offered = { furtherPorts: [9000], offeredPorts: [{ port: 9000, speaks: 'tcp' as const }], readiness: { port: 9000 } }

test('starts three containers in the order of their dependencies, and players reach the published ports of each container', async () => {
  const runtime = aRuntime('three')
  const db = anAdditionalContainer('db', { definition: { readiness: { command: ['true'] } } })
  const bot = anAdditionalContainer('bot', {
    receivesFlag: true,
    definition: offered,
    dependsOn: [{ name: 'page', when: 'started' }],
  })
  const spec = aSpec([db, bot], { dependsOn: [{ name: 'db', when: 'ready' }] })
  await runtime.create(spec)
  const { host, port, furtherPlaces } = await whenReady(runtime, spec)
  expect(await sendLine(host, port, 'flag')).toBe('flag{x}')
  expect(Object.keys(furtherPlaces ?? {})).toEqual(['bot:9000'])
  const place = furtherPlaces!['bot:9000']!
  expect(await sendLine(place.host, place.port, 'flag')).toBe('flag{x}')
  expect(reasonsOf(runtime, spec)).toEqual({ page: 'Ready', db: 'Ready', bot: 'Ready' })
  expect(await startedAt(spec, '-db')).toBeLessThan(await startedAt(spec))
  expect(await startedAt(spec)).toBeLessThan(await startedAt(spec, '-bot'))
  await runtime.delete(spec.id)
  expect(await storedOf(spec)).toEqual([])
})

test('probes the first port of an additional container, over HTTP if the readiness setting has a path', async () => {
  const runtime = aRuntime('path')
  const open = anAdditionalContainer('open', { definition: { furtherPorts: [9000] } })
  const readiness = { path: '/up' }
  const web = anAdditionalContainer('web', { definition: { furtherPorts: [9001], readiness, startTimeoutSeconds: 1 } })
  const spec = aSpec([open, web])
  await runtime.create(spec)
  // The programs of this test do not speak HTTP.
  const reasons = { page: 'Ready', open: 'Ready', web: 'NotAnswering' }
  await expect.poll(() => reasonsOf(runtime, spec), within).toEqual(reasons)
  await runtime.delete(spec.id)
})

test('shows the output of each container under its name', async () => {
  const runtime = aRuntime('output')
  const spec = aSpec([anAdditionalContainer('bot', { definition: offered })])
  await runtime.create(spec)
  const { host, port, furtherPlaces } = await whenReady(runtime, spec)
  await sendLine(host, port, 'say page here')
  await sendLine(host, furtherPlaces!['bot:9000']!.port, 'say bot here')
  const read = async (name: string) => {
    const options = { tailLines: 9, follow: false, signal: new AbortController().signal }
    const log = await runtime.containers?.openLog?.(spec.id, name, options)
    return log && Buffer.concat(await Array.fromAsync(log as AsyncIterable<Uint8Array>)).toString()
  }
  await expect.poll(() => read('page'), within).toBe('page here\n')
  await expect.poll(() => read('bot'), within).toBe('bot here\n')
  expect(await read('challenge')).toBeUndefined()
  await runtime.delete(spec.id)
})

test('a container that crashes fails the instance, and the containers that depend on it do not start', async () => {
  const runtime = aRuntime('crash')
  // A container without a probe would be ready as soon as it runs.
  const db = anAdditionalContainer('db', { image: 'crash:1', definition: { readiness: { command: ['false'] } } })
  const spec = aSpec([db], { dependsOn: [{ name: 'db', when: 'ready' }] })
  await runtime.create(spec)
  await expect.poll(() => stateOf(runtime, spec), within).toMatchObject({ kind: 'failed', reason: 'Crashed' })
  await expect.poll(() => reasonsOf(runtime, spec), within).toEqual({ page: 'DependencyFailed', db: 'Crashed' })
  expect(runtime.containers?.find(spec.id)?.[1]?.lastExit).toContain('exit code 1')
  await runtime.delete(spec.id)
  expect(await storedOf(spec)).toEqual([])
})

test('a missing image fails the instance, and the container with this image shows the reason', async () => {
  const runtime = aRuntime('missing')
  const spec = aSpec([anAdditionalContainer('db', { image: 'nowhere/missing:1' })])
  await runtime.create(spec)
  await expect.poll(() => stateOf(runtime, spec), within).toMatchObject({ kind: 'failed', reason: 'ImagePullFailed' })
  expect(reasonsOf(runtime, spec).db).toBe('ImagePullFailed')
  const options = { tailLines: 9, follow: true, signal: new AbortController().signal }
  const log = await runtime.containers?.openLog?.(spec.id, 'db', options)
  expect(await Array.fromAsync(log as AsyncIterable<Uint8Array>)).toEqual([])
  await runtime.delete(spec.id)
  expect(await storedOf(spec)).toEqual([])
})

test('if the image of one container is missing, no container starts, and every container shows a reason', async () => {
  const runtime = aRuntime('reasons')
  const missing = anAdditionalContainer('db', { image: 'nowhere/missing:1' })
  const others = [anAdditionalContainer('bot'), anAdditionalContainer('api', { dependsOn: [{ name: 'db', when: 'started' }] })]
  const spec = aSpec([missing, ...others])
  await runtime.create(spec)
  const reasons = { page: 'WaitingForDependency', db: 'ImagePullFailed', bot: 'WaitingForDependency', api: 'DependencyFailed' }
  await expect.poll(() => reasonsOf(runtime, spec), within).toEqual(reasons)
  expect(stateOf(runtime, spec)).toMatchObject({ kind: 'failed', reason: 'ImagePullFailed' })
  for (const container of ['', '-bot', '-api']) expect(await startedAt(spec, container)).toBeUndefined()
  await runtime.delete(spec.id)
  expect(await storedOf(spec)).toEqual([])
})

test('a restarted platform continues a start, and removes all containers of the instance', async () => {
  const first = aRuntime('restarted')
  const never = anAdditionalContainer('db', { definition: { readiness: { command: ['false'] }, startTimeoutSeconds: 600 } })
  const spec = aSpec([never, anAdditionalContainer('bot')], { dependsOn: [{ name: 'db', when: 'ready' }] })
  await first.create(spec)
  const waiting = { page: 'WaitingForDependency', db: 'Starting', bot: 'Ready' }
  await expect.poll(() => reasonsOf(first, spec), within).toEqual(waiting)
  await first.close()
  const second = aRuntime('restarted')
  await expect.poll(() => reasonsOf(second, spec), within).toEqual(waiting)
  await second.delete(spec.id)
  expect(await storedOf(spec)).toEqual([])
})

test('after a crash of the platform, an instance with a missing container fails and can be deleted', async () => {
  const first = aRuntime('interrupted')
  const spec = aSpec([anAdditionalContainer('db')])
  await first.create(spec)
  await whenReady(first, spec)
  await first.close()
  await removeContainers(`${deriveInstanceName(spec.id)}-db`)
  const second = aRuntime('interrupted')
  await expect.poll(() => stateOf(second, spec), within).toMatchObject({ kind: 'failed', reason: 'ContainerFailed' })
  await second.delete(spec.id)
  expect(await storedOf(spec)).toEqual([])
})

test('a restarted platform removes networks without containers', async () => {
  const first = aRuntime('stray')
  const spec = aSpec([anAdditionalContainer('db')])
  await first.create(spec)
  await whenReady(first, spec)
  await first.close()
  await removeContainers(deriveInstanceName(spec.id), `${deriveInstanceName(spec.id)}-db`)
  expect((await storedOf(spec)).length).toBeGreaterThan(0)
  aRuntime('stray')
  await expect.poll(() => storedOf(spec), within).toEqual([])
})

test('measures the usage of each container of an instance, and reports the limits of the container', async () => {
  const runtime = aRuntime('usage')
  const spec = aSpec([anAdditionalContainer('db')])
  await runtime.create(spec)
  await whenReady(runtime, spec)
  const usage = { cpuMillicores: 250, memoryBytes: 13_107_200 }
  expect((await runtime.readUsage?.())?.get(spec.id)).toEqual(
    new Map([
      ['page', usage],
      ['db', usage],
    ]),
  )
  const limits = { cpuMillicores: 100, memoryBytes: 67_108_864 }
  expect(runtime.containers?.find(spec.id)?.map((container) => container.limits)).toEqual([limits, limits])
  await runtime.delete(spec.id)
})
