import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { deriveFormerInstanceName, deriveInstanceName } from '@capstan/challenge-instance/names'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../server/http/clock.ts'
import { createCombinedRuntime } from './combined-runtime.ts'
import { createContainerRuntime } from './container-runtime.ts'
import { createProcessRuntime } from './process-runtime.ts'
import type { InstanceRuntime, InstanceSpec } from './runtime.ts'
import { createEngineSettings } from './testing/engine-settings.ts'
import { anEntryContainer, anInstanceSpec } from './testing/instance-spec.ts'
import { describeRuntimeContract } from './testing/runtime-contract.ts'
import { sendLine } from './testing/send-line.ts'

const script = fileURLToPath(new URL('./testing/fake-engine.mjs', import.meta.url))
const engine = { program: process.execPath, prefix: [script] }

let state: string
beforeAll(async () => {
  state = await mkdtemp(path.join(tmpdir(), 'capstan-engine-'))
  process.env.FAKE_ENGINE_STATE = state
})
afterAll(async () => {
  delete process.env.FAKE_ENGINE_STATE
  await rm(state, { recursive: true })
})

function openRuntime(owner: string) {
  return createContainerRuntime({
    clock: systemClock,
    engine,
    settings: createEngineSettings(owner),
    log: { warn: () => {} },
    pollIntervalMs: 2_000,
  })
}
/** Creates a runtime that is closed when the test ends. Until then, the runtime polls the engine and thereby starts processes. */
function aRuntime(owner: string) {
  const runtime = openRuntime(owner)
  onTestFinished(() => runtime.close())
  return runtime
}

const images = { echoImage: 'echo:1', crashImage: 'crash:1', missingImage: 'nowhere/missing:1', port: 1337 }

describeRuntimeContract(
  'container runtime',
  async () => {
    const runtime = openRuntime('test')
    return { runtime, ...images, close: () => runtime.close() }
  },
  { settleMs: 40_000 },
)

describeRuntimeContract(
  'combined runtime',
  async () => {
    const cwd = fileURLToPath(new URL('./testing', import.meta.url))
    const first = createProcessRuntime({
      clock: systemClock,
      images: [{ image: 'echo:1', command: [process.execPath, 'echo.mjs'], cwd }],
    })
    const runtime = createCombinedRuntime({
      first,
      second: openRuntime('combined'),
      isForFirst: ({ containers: [{ image }] }) => image === 'echo:1',
    })
    return { runtime, ...images, close: () => runtime.close() }
  },
  { settleMs: 40_000 },
)

async function start(runtime: InstanceRuntime, spec: InstanceSpec) {
  await runtime.create(spec)
  await expect.poll(() => runtime.find(spec.id)?.state.kind, { timeout: 120_000 }).toBe('ready')
  const found = runtime.find(spec.id)!.state
  if (found.kind !== 'ready') throw new Error('Not ready')
  return found
}

/**
 * Waits for the port that the engine publishes. The engine publishes the port before the runtime reports readiness.
 * @returns the port
 */
async function publishedPort(id: string): Promise<number> {
  const file = path.join(state, `${deriveInstanceName(id)}.json`)
  const read = async () =>
    (JSON.parse(await readFile(file, 'utf8').catch(() => '{}')) as { ports?: Record<string, number> }).ports?.[1337]
  await expect.poll(read, { timeout: 120_000 }).toBeDefined()
  return (await read())!
}

test('after a restart, the platform finds the running containers with their end time and all ports', async () => {
  const spec = anInstanceSpec({ containers: [anEntryContainer({ definition: { furtherPorts: [80, 9000] } })] })
  const first = aRuntime('lasting')
  const { host, port, furtherPorts } = await start(first, spec)
  await first.close()
  expect(await sendLine(host, port, 'hello')).toBe('hello')
  const second = aRuntime('lasting')
  expect(second.list()).toBeUndefined()
  await expect.poll(() => second.find(spec.id)?.state, { timeout: 120_000 }).toEqual({ kind: 'ready', host, port, furtherPorts })
  expect(second.find(spec.id)?.expiresAt).toEqual(spec.expiresAt)
  expect(await sendLine(host, port, 'port')).toBe('the entry')
  for (const number of [80, 9000]) expect(await sendLine(host, furtherPorts?.[number] ?? 0, 'port')).toBe(String(number))
  await second.delete(spec.id)
})

test('the runtime removes a container whose name an earlier version of the platform chose', async () => {
  const spec = anInstanceSpec()
  const first = aRuntime('renamed')
  await start(first, spec)
  await first.close()
  const former = path.join(state, `${deriveFormerInstanceName(spec.id)}.json`)
  const file = path.join(state, `${deriveInstanceName(spec.id)}.json`)
  await writeFile(former, await readFile(file))
  await rm(file)
  const second = aRuntime('renamed')
  await expect.poll(() => second.find(spec.id)?.state.kind, { timeout: 120_000 }).toBe('ready')
  await second.delete(spec.id)
  expect((await readdir(state)).filter((name) => name.includes(spec.id))).toEqual([])
})

test('the runtime ignores containers of another platform on the same machine', async () => {
  const [ours, theirs] = [aRuntime('ours'), aRuntime('theirs')]
  const spec = anInstanceSpec()
  await start(theirs, spec)
  await expect.poll(() => ours.list(), { timeout: 120_000 }).toEqual([])
  await theirs.delete(spec.id)
})

test('one call of the engine reads the usage of all containers', async () => {
  const [ours, theirs] = [aRuntime('measured'), aRuntime('unmeasured')]
  expect(await ours.readUsage!()).toEqual(new Map())
  const [one, two, other] = [anInstanceSpec(), anInstanceSpec(), anInstanceSpec()]
  await Promise.all([start(ours, one), start(ours, two), start(theirs, other)])
  const usage = new Map([['challenge', { cpuMillicores: 250, memoryBytes: 13_107_200 }]])
  expect(await ours.readUsage!()).toEqual(
    new Map([
      [one.id, usage],
      [two.id, usage],
    ]),
  )
  await Promise.all([ours.delete(one.id), ours.delete(two.id), theirs.delete(other.id)])
})

test('the runtime notices if a user removes a container', async () => {
  const runtime = aRuntime('removed')
  const spec = anInstanceSpec()
  await start(runtime, spec)
  await promisify(execFile)(process.execPath, [script, 'rm', '--force', deriveInstanceName(spec.id)])
  await expect.poll(() => runtime.find(spec.id), { timeout: 120_000 }).toBeUndefined()
})

test('a challenge that stops after it was ready is reported as failed', async () => {
  const runtime = aRuntime('crashing')
  const spec = anInstanceSpec()
  const { host, port } = await start(runtime, spec)
  await sendLine(host, port, 'exit').catch(() => undefined)
  await expect.poll(() => runtime.find(spec.id)?.state, { timeout: 120_000 }).toMatchObject({ kind: 'failed', reason: 'Crashed' })
  await runtime.delete(spec.id)
})

test('the runtime removes an instance that is deleted during its start', async () => {
  const runtime = aRuntime('hasty')
  const spec = anInstanceSpec()
  await runtime.create(spec)
  await runtime.delete(spec.id)
  expect(runtime.find(spec.id)).toBeUndefined()
  await expect
    .poll(async () => (await readdir(state)).includes(`${deriveInstanceName(spec.id)}.json`), { timeout: 120_000, interval: 200 })
    .toBe(false)
})

test('the runtime removes a container that the engine creates after the instance was deleted', async () => {
  const runtime = aRuntime('overtaken')
  const spec = anInstanceSpec()
  process.env.FAKE_ENGINE_RM_MS = '2000'
  try {
    await runtime.create(spec)
    await runtime.delete(spec.id)
  } finally {
    delete process.env.FAKE_ENGINE_RM_MS
  }
  expect(runtime.find(spec.id)).toBeUndefined()
  await expect
    .poll(async () => (await readdir(state)).includes(`${deriveInstanceName(spec.id)}.json`), { timeout: 120_000, interval: 200 })
    .toBe(false)
})

test('the runtime lists nothing and refuses to delete if the engine does not respond', async () => {
  const runtime = createContainerRuntime({
    clock: systemClock,
    engine: { program: '/nowhere/docker' },
    settings: createEngineSettings('x'),
    log: { warn: () => {} },
  })
  onTestFinished(() => runtime.close())
  await expect(runtime.delete(randomUUID())).rejects.toThrow()
  expect(runtime.list()).toBeUndefined()
  const spec = anInstanceSpec()
  await runtime.create(spec)
  await expect.poll(() => runtime.find(spec.id)?.state).toMatchObject({ kind: 'failed', reason: 'ContainerFailed' })
})

test('a container with a readiness line is ready once the container has written that line, even after a platform restart', async () => {
  const spec = anInstanceSpec({ containers: [anEntryContainer({ definition: { readiness: { line: 'serving on' } } })] })
  const first = aRuntime('saying')
  await first.create(spec)
  const [host, port] = ['127.0.0.1', await publishedPort(spec.id)]
  await expect.poll(() => sendLine(host, port, 'say not yet').catch(() => undefined), { timeout: 120_000 }).toBe('say not yet')
  expect(first.find(spec.id)?.state).toMatchObject({ kind: 'pending' })
  await sendLine(host, port, 'say [info] serving on 1337')
  await expect
    .poll(() => first.find(spec.id)?.state, { timeout: 120_000 })
    .toEqual({ kind: 'ready', host, port, furtherPorts: {} })
  await first.close()
  const second = aRuntime('saying')
  await expect
    .poll(() => second.find(spec.id)?.state, { timeout: 120_000 })
    .toEqual({ kind: 'ready', host, port, furtherPorts: {} })
  await second.delete(spec.id)
})

test('a container that does not write its readiness line fails, even if its port is open', async () => {
  const runtime = aRuntime('silent')
  const definition = { readiness: { line: 'serving' }, startTimeoutSeconds: 1 }
  const spec = anInstanceSpec({ containers: [anEntryContainer({ definition })] })
  await runtime.create(spec)
  const failed = { kind: 'failed', reason: 'NotAnswering' }
  await expect.poll(() => runtime.find(spec.id)?.state, { timeout: 120_000 }).toMatchObject(failed)
  await runtime.delete(spec.id)
})
