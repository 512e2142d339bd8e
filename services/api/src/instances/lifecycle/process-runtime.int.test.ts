import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../server/http/clock.ts'
import { createProcessRuntime } from './process-runtime.ts'
import type { EntryContainerSpec, InstanceSpec } from './runtime.ts'
import { anAdditionalContainer, anEntryContainer, anInstanceSpec } from './testing/instance-spec.ts'
import { describeRuntimeContract } from './testing/runtime-contract.ts'
import { sendLine } from './testing/send-line.ts'

const cwd = fileURLToPath(new URL('./testing', import.meta.url))
const images = [
  { image: 'echo', command: [process.execPath, 'echo.mjs'], cwd },
  { image: 'crash', command: [process.execPath, '-e', 'process.exit(1)'], cwd },
  { image: 'no program', command: ['/nowhere/at-all'], cwd },
  { image: 'silent', command: [process.execPath, '-e', 'setInterval(() => {}, 1000)'], cwd },
] as const

describeRuntimeContract(
  'process runtime',
  async () => {
    const runtime = createProcessRuntime({ clock: systemClock, images })
    return { runtime, echoImage: 'echo', crashImage: 'crash', missingImage: 'other:1', port: 1337, close: () => runtime.close() }
  },
  { settleMs: 30_000 },
)

function aSpec(entry: Partial<EntryContainerSpec> = {}): InstanceSpec {
  return anInstanceSpec({ containers: [anEntryContainer({ image: 'echo', ...entry })] })
}

async function start(runtime: ReturnType<typeof createProcessRuntime>, spec: InstanceSpec) {
  await runtime.create(spec)
  await expect.poll(() => runtime.find(spec.id)?.state.kind).toBe('ready')
  const state = runtime.find(spec.id)!.state
  if (state.kind !== 'ready') throw new Error('Not ready')
  return state
}

test("a challenge gets the flag under the configured names, and no other variable of the platform's environment", async () => {
  const runtime = createProcessRuntime({ clock: systemClock, images, flagEnvironmentNames: ['CTF_FLAG'] })
  process.env.CAPSTAN_SECRET_CANARY = 'secret'
  const { host, port } = await start(runtime, aSpec())
  expect(await sendLine(host, port, 'env')).toBe('CTF_FLAG FLAG HOST NODE_OPTIONS PATH PORT TEAM_ID')
  delete process.env.CAPSTAN_SECRET_CANARY
  await runtime.close()
})

test('a challenge with several containers fails at once, even if its first image is bundled', async () => {
  const runtime = createProcessRuntime({ clock: systemClock, images })
  const spec = anInstanceSpec({ containers: [anEntryContainer({ image: 'echo' }), anAdditionalContainer('db')] })
  await runtime.create(spec)
  expect(runtime.find(spec.id)?.state).toEqual({
    kind: 'failed',
    reason: 'EngineMissing',
    message: 'This challenge needs docker, podman or Kubernetes. None of them is available here.',
  })
  await runtime.close()
})

test('a challenge gets a port outside the ephemeral range, so that no other program gets this port before the challenge listens', async () => {
  const runtime = createProcessRuntime({ clock: systemClock, images })
  const { port, furtherPorts } = await start(runtime, aSpec({ definition: { furtherPorts: [80, 9000] } }))
  const all = [port, ...Object.values(furtherPorts ?? {})]
  expect(new Set(all).size).toBe(3)
  for (const each of all) {
    expect(each).toBeGreaterThanOrEqual(20_000)
    expect(each).toBeLessThan(30_000)
  }
  await runtime.close()
})

test('a challenge that stops after it was ready is reported as failed', async () => {
  const runtime = createProcessRuntime({ clock: systemClock, images })
  const spec = aSpec()
  const { host, port } = await start(runtime, spec)
  await sendLine(host, port, 'exit').catch(() => undefined)
  await expect.poll(() => runtime.find(spec.id)?.state).toMatchObject({ kind: 'failed', reason: 'Crashed' })
  await runtime.close()
})

test.each([
  ['a missing program', 'no program', 'StartFailed'],
  ['a program that does not listen', 'silent', 'NotAnswering'],
])('an instance with %s fails', async (_name, image, reason) => {
  const runtime = createProcessRuntime({ clock: systemClock, images, startTimeoutMs: 300 })
  const spec = aSpec({ image })
  await runtime.create(spec)
  await expect.poll(() => runtime.find(spec.id)?.state).toMatchObject({ kind: 'failed', reason })
  await runtime.close()
})

test.skipIf(process.platform !== 'linux')(
  'the usage of a busy and an idle challenge is measured, but the usage of an ended challenge is not',
  async () => {
    const busy =
      'let n = 0; require("node:net").createServer().listen(process.env.PORT, process.env.HOST, () => { for (;;) n += 1 })'
    const runtime = createProcessRuntime({
      clock: systemClock,
      images: [...images, { image: 'busy', command: [process.execPath, '-e', busy], cwd }],
    })
    const [hog, idle, dead] = [aSpec({ image: 'busy' }), aSpec(), aSpec({ image: 'crash' })]
    await Promise.all([start(runtime, hog), start(runtime, idle), runtime.create(dead)])
    await expect.poll(() => runtime.find(dead.id)?.state.kind).toBe('failed')
    const usages = await runtime.readUsage!()
    expect([...usages!.keys()].sort()).toEqual([hog.id, idle.id].sort())
    const usageOf = ({ id }: InstanceSpec) => usages!.get(id)!.get('challenge')!
    const [most, least] = [usageOf(hog), usageOf(idle)]
    expect(most.cpuMillicores).toBeGreaterThan(least.cpuMillicores)
    expect(most.cpuMillicores).toBeGreaterThan(0)
    // Even an idle Node program uses tens of megabytes.
    expect(least.memoryBytes).toBeGreaterThan(10_000_000)
    expect(least.memoryBytes).toBeLessThan(500_000_000)
    await runtime.close()
    expect(await runtime.readUsage!()).toEqual(new Map())
  },
)

test.each([
  ['standard output', 'stdout'],
  ['standard error', 'stderr'],
])('a challenge is ready when it writes its readiness line to its %s, and can continue to write', async (_name, output) => {
  const talker = `
    const server = require('node:net').createServer((socket) => process.${output}.write('x'.repeat(2_000_000), () => socket.end('written')))
    server.listen(process.env.PORT, process.env.HOST, () => process.${output}.write('now serv'))
    setTimeout(() => process.${output}.write('ing\\n'), 100)`
  const image = { image: 'talker', command: [process.execPath, '-e', talker] as const, cwd }
  const runtime = createProcessRuntime({ clock: systemClock, images: [...images, image] })
  const [spec, silent] = [
    aSpec({ image: 'talker', definition: { readiness: { line: 'now serving' } } }),
    aSpec({ definition: { readiness: { line: 'now serving' } } }),
  ]
  await Promise.all([runtime.create(spec), runtime.create(silent)])
  const { host, port } = await start(runtime, spec)
  expect(runtime.find(silent.id)?.state.kind).toBe('pending')
  expect(await sendLine(host, port, 'hello')).toBe('written')
  await runtime.close()
})

test('closing the runtime ends every challenge', async () => {
  const runtime = createProcessRuntime({ clock: systemClock, images })
  const addresses = await Promise.all([start(runtime, aSpec()), start(runtime, aSpec())])
  await runtime.close()
  for (const { host, port } of addresses) await expect(sendLine(host, port, 'hello')).rejects.toThrow()
  expect(runtime.list()).toEqual([])
})

test.skipIf(process.platform === 'win32')('no challenge continues to run after the platform was killed', async () => {
  const script = `
    import { createProcessRuntime } from ${JSON.stringify(new URL('./process-runtime.ts', import.meta.url).href)}
    const runtime = createProcessRuntime({ clock: { now: () => new Date() }, images: [${JSON.stringify(images[0])}] })
    const spec = ${JSON.stringify(aSpec())}
    await runtime.create({ ...spec, expiresAt: new Date(spec.expiresAt) })
    runtime.watch((id) => {
      const { state } = runtime.find(id)
      if (state.kind === 'ready') console.log(state.port)
    })`
  const platform: ChildProcess = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [chunk] = (await once(platform.stdout!, 'data')) as [Buffer]
  const port = Number(chunk.toString().trim())
  expect(await sendLine('127.0.0.1', port, 'hello')).toBe('hello')
  platform.kill('SIGKILL')
  await once(platform, 'exit')
  const answer = () => sendLine('127.0.0.1', port, 'hello').catch(() => undefined)
  await expect.poll(answer).toBeUndefined()
})

test('a start above the maximum number of processes is refused until a process has ended', async () => {
  const runtime = createProcessRuntime({ clock: systemClock, images, maxProcesses: 2 })
  const [first, third] = [aSpec(), aSpec()]
  await start(runtime, first)
  await start(runtime, aSpec())
  await runtime.create(third)
  expect(runtime.find(third.id)?.state).toMatchObject({
    kind: 'failed',
    reason: 'QuotaExceeded',
    message: expect.stringContaining('try again later'),
  })
  await runtime.delete(third.id)
  await runtime.delete(first.id)
  await start(runtime, third)
  await runtime.close()
})

test('a challenge has the configured memory limit, and ends if it exceeds this limit', async () => {
  const hoard = 'setInterval(() => {}, 1000); const kept = []; for (;;) kept.push(Array.from({ length: 1e6 }, Math.random))'
  const runtime = createProcessRuntime({
    clock: systemClock,
    images: [{ image: 'hoard', command: [process.execPath, '-e', hoard], cwd }],
  })
  const spec = aSpec({ image: 'hoard', memoryMb: 32 })
  await runtime.create(spec)
  await expect.poll(() => runtime.find(spec.id)?.state, { timeout: 120_000 }).toMatchObject({ kind: 'failed', reason: 'Crashed' })
  await runtime.close()
})

test('a program gets its additional ports in variables, and the runtime reports these ports', async () => {
  const runtime = createProcessRuntime({ clock: systemClock, images })
  onTestFinished(() => runtime.close())
  const { host, port, furtherPorts = {} } = await start(runtime, aSpec({ definition: { furtherPorts: [9000, 9001] } }))
  expect(await sendLine(host, port, 'port')).toBe('the entry')
  for (const number of [9000, 9001]) expect(await sendLine(host, furtherPorts[number] ?? 0, 'port')).toBe(String(number))
})
