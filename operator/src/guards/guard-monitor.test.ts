import type { EventContent } from '@capstan/kubernetes/events'
import { createFakeClock } from '@capstan/kubernetes/testing/fake-clock'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { aMoment } from '../testing/builders.ts'
import { createGuardMonitor } from './guard-monitor.ts'
import { type FindObject, listGuards } from './guards.ts'

const policy = {
  metadata: { name: 'default-deny', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] },
}

function setUp() {
  const clock = createFakeClock(aMoment)
  const registry = new Registry()
  const recorded: string[] = []
  const logged: string[] = []
  const cluster: { find: FindObject } = { find: async () => policy }
  const log = (level: string) => (_fields: object, message: string) => void logged.push(`${level}: ${message}`)
  const monitor = createGuardMonitor({
    guards: listGuards(
      { networkPolicy: 'default-deny', quota: undefined, admissionPolicy: undefined, podSecurity: undefined },
      'arena',
    ),
    find: (...asked) => cluster.find(...asked),
    namespace: 'arena',
    events: {
      async record({ resource, object }, { type, reason }: EventContent) {
        recorded.push(`${type} ${reason} of ${resource.kind} ${object.metadata.namespace}/${object.metadata.name}`)
      },
    },
    clock,
    log: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    registry,
  })
  const measured = async () => {
    const [metric] = await registry.getMetricsAsJSON()
    return metric?.values.map(({ labels, value }) => `${labels.kind} ${labels.name}: ${value}`)
  }
  return { monitor, clock, cluster, recorded, logged, measured }
}

it('raises no alarm while all guards protect challenges', async () => {
  const { monitor, recorded, logged, measured } = setUp()
  await monitor.checkAll()
  expect([recorded, logged, await measured()]).toEqual([[], [], ['NetworkPolicy default-deny: 1']])
})

it('the operator reports the deletion and the restoration of an object that protects challenges', async () => {
  const { monitor, clock, cluster, recorded, logged, measured } = setUp()
  const stop = new AbortController()
  const running = monitor.run(stop.signal)
  await clock.advance(0)
  cluster.find = async () => undefined
  await clock.advance(59_000)
  expect(recorded).toEqual(['Warning GuardMissing of NetworkPolicy arena/default-deny'])
  expect(logged).toEqual(['error: A guard of challenges is missing or changed'])
  expect(await measured()).toEqual(['NetworkPolicy default-deny: 0'])
  cluster.find = async () => policy
  await clock.advance(59_000)
  expect(recorded.slice(1)).toEqual(['Normal GuardRestored of NetworkPolicy arena/default-deny'])
  expect(await measured()).toEqual(['NetworkPolicy default-deny: 1'])
  stop.abort()
  await running
})

it('repeats the alarm every ten minutes while the fault lasts', async () => {
  const { monitor, clock, cluster, recorded } = setUp()
  cluster.find = async () => undefined
  const stop = new AbortController()
  const running = monitor.run(stop.signal)
  await clock.advance(599_000)
  expect(recorded).toHaveLength(1)
  await clock.advance(11_000)
  expect(recorded).toHaveLength(2)
  stop.abort()
  await running
})

it('logs once that a guard cannot be read, shows an unknown state in the metrics, and does not repeat an earlier alarm', async () => {
  const { monitor, cluster, recorded, logged, measured } = setUp()
  cluster.find = async () => undefined
  await monitor.checkAll()
  cluster.find = () => Promise.reject(new Error('away'))
  await monitor.checkAll()
  await monitor.checkAll()
  expect(await measured()).toEqual(['NetworkPolicy default-deny: NaN'])
  cluster.find = async () => undefined
  await monitor.checkAll()
  expect(recorded).toHaveLength(1)
  expect(logged.slice(1)).toEqual(['warn: Could not check a guard of challenges'])
})
