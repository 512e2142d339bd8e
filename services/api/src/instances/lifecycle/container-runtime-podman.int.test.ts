import { instanceIdLabel } from '@capstan/challenge-instance/labels'
import { deriveInstanceName } from '@capstan/challenge-instance/names'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../server/http/clock.ts'
import { createContainerRuntime } from './container-runtime.ts'
import type { InstanceSpec } from './runtime.ts'
import { createEngineSettings } from './testing/engine-settings.ts'
import { anAdditionalContainer, anEntryContainer, anInstanceSpec } from './testing/instance-spec.ts'
import {
  crashImage,
  echoImage,
  missingImage,
  podmanMissing,
  podmanPublishHost,
  startPodman,
  type TestPodman,
} from './testing/podman.ts'
import { describeRuntimeContract } from './testing/runtime-contract.ts'
import { sendLine } from './testing/send-line.ts'

describe.skipIf(podmanMissing)(`podman${podmanMissing ? ` (${podmanMissing})` : ''}`, { timeout: 300_000 }, () => {
  let podman: TestPodman
  beforeAll(async () => {
    podman = await startPodman()
  }, 300_000)
  afterAll(() => podman?.close())

  const openRuntime = (owner: string) =>
    createContainerRuntime({
      clock: systemClock,
      engine: podman.engine,
      settings: { ...createEngineSettings(owner), publishHost: podmanPublishHost },
      log: { warn: () => {} },
      pollIntervalMs: 1_000,
    })
  const aRuntime = (owner: string) => {
    const runtime = openRuntime(owner)
    onTestFinished(() => runtime.close())
    return runtime
  }

  describeRuntimeContract(
    'container runtime on podman',
    async () => {
      const runtime = openRuntime('contract')
      return { runtime, echoImage, crashImage, missingImage, port: 1337, close: () => runtime.close() }
    },
    { settleMs: 100_000 },
  )

  /** Challenge with three containers: a page, a database and a bot. Only the page and the database share the network `back`. */
  const aSmallNetwork = (): InstanceSpec => {
    const db = anAdditionalContainer('db', {
      image: echoImage,
      networks: [{ name: 'back', aliases: ['store'] }],
      receivesFlag: true,
      definition: { readiness: { command: ['/bin/probe', '127.0.0.1', '1337'] } },
    })
    const bot = anAdditionalContainer('bot', {
      image: echoImage,
      networks: [{ name: 'front', aliases: [] }],
      definition: { egress: 'Internet', readiness: { port: 1337 } },
    })
    const networks = ['front', 'back'].map((name) => ({ name, aliases: [] }))
    const dependsOn = [{ name: 'db', when: 'ready' as const }]
    return anInstanceSpec({ containers: [anEntryContainer({ name: 'page', image: echoImage, networks, dependsOn }), db, bot] })
  }

  const left = ({ id }: InstanceSpec) => {
    const filter = ['--filter', `label=${instanceIdLabel}=${id}`]
    return [podman.run('ps', '--all', '--quiet', ...filter), podman.run('network', 'ls', '--quiet', ...filter)].join('')
  }

  test('runs three containers with names, isolation, egress, flags and ports, and removes all of them', async () => {
    const runtime = aRuntime('network')
    const spec = aSmallNetwork()
    await runtime.create(spec)
    await expect.poll(() => runtime.find(spec.id)?.state, { timeout: 200_000 }).toMatchObject({ kind: 'ready' })
    const state = runtime.find(spec.id)?.state
    if (state?.kind !== 'ready') throw new Error('Not ready')
    expect(await sendLine(state.host, state.port, 'flag')).toBe('flag{x}')
    expect(state.furtherPlaces).toBeUndefined()

    const name = deriveInstanceName(spec.id)
    const engineNames = { page: name, db: `${name}-db`, bot: `${name}-bot` }
    const inside = (container: keyof typeof engineNames, ...command: string[]) =>
      podman.run('exec', engineNames[container], ...command).trim()
    const reaches = (container: keyof typeof engineNames, host: string) => inside(container, '/bin/probe', host, '1337')
    expect(['db', 'store', 'bot'].map((host) => reaches('page', host))).toEqual(['open', 'open', 'open'])
    expect(['page', 'db', 'store'].map((host) => reaches('bot', host))).toEqual(['open', 'closed', 'closed'])
    expect(['page', 'bot'].map((host) => reaches('db', host))).toEqual(['open', 'closed'])
    // A container cannot reach a separate network by using an IP address instead of a name.
    const addressOf = (container: keyof typeof engineNames, network: string) =>
      podman
        .run('inspect', engineNames[container], '--format', `{{(index .NetworkSettings.Networks "${network}").IPAddress}}`)
        .trim()
    expect(reaches('page', addressOf('db', `${name}.net.back`))).toBe('open')
    expect(reaches('bot', addressOf('db', `${name}.net.back`))).toBe('closed')
    expect(reaches('db', addressOf('bot', `${name}.net.front`))).toBe('closed')

    const hasDefaultRoute = (container: keyof typeof engineNames) => inside(container, '/bin/ip', 'route').includes('default')
    expect([hasDefaultRoute('db'), hasDefaultRoute('bot')]).toEqual([false, true])
    expect(inside('db', '/bin/hostname')).toBe('db')
    const flagOf = (container: keyof typeof engineNames) => inside(container, '/bin/sh', '-c', 'echo "$FLAG"')
    expect([flagOf('page'), flagOf('db'), flagOf('bot')]).toEqual(['flag{x}', 'flag{x}', ''])

    await runtime.delete(spec.id)
    expect(left(spec)).toBe('')
  })

  test('containers cannot reach the published containers of another instance', async () => {
    const runtime = aRuntime('neighbors')
    const specs = [aSmallNetwork(), aSmallNetwork()] as const
    for (const spec of specs) await runtime.create(spec)
    for (const { id } of specs)
      await expect.poll(() => runtime.find(id)?.state, { timeout: 200_000 }).toMatchObject({ kind: 'ready' })
    const [one, other] = specs.map(({ id }) => deriveInstanceName(id)) as [string, string]
    const networks = '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}'
    const addresses = podman.run('inspect', other, `${other}-bot`, '--format', networks).trim().split(/\s+/)
    expect(addresses).toHaveLength(5)
    const probes = addresses.flatMap((address) =>
      [one, `${one}-bot`].map((from) => podman.run('exec', from, '/bin/probe', address, '1337').trim()),
    )
    expect(new Set(probes)).toEqual(new Set(['closed']))
    for (const { id } of specs) await runtime.delete(id)
  })

  test('a restarted platform finds the containers of an instance, and removes them with their networks', async () => {
    const first = aRuntime('restart')
    const spec = aSmallNetwork()
    await first.create(spec)
    await expect.poll(() => first.find(spec.id)?.state, { timeout: 200_000 }).toMatchObject({ kind: 'ready' })
    const state = first.find(spec.id)?.state
    await first.close()
    const second = aRuntime('restart')
    await expect.poll(() => second.find(spec.id)?.state, { timeout: 200_000 }).toEqual(state)
    expect(second.containers?.find(spec.id)?.map(({ name, isReady }) => [name, isReady])).toEqual([
      ['page', true],
      ['db', true],
      ['bot', true],
    ])
    await second.delete(spec.id)
    expect(left(spec)).toBe('')
  })
})
