import type { Happening } from '@capstan/kubernetes/events'
import { createFakeClock } from '@capstan/kubernetes/testing/fake-clock'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { aMoment } from '../testing/builders.ts'
import { createGuardWatch } from './guard-watch.ts'
import { type FindObject, guardsOf } from './guards.ts'

const policy = {
  metadata: { name: 'default-deny', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] },
}

function setUp() {
  const clock = createFakeClock(aMoment)
  const registry = new Registry()
  const told: string[] = []
  const logged: string[] = []
  const cluster: { find: FindObject } = { find: async () => policy }
  const log = (level: string) => (_fields: object, message: string) => void logged.push(`${level}: ${message}`)
  const watch = createGuardWatch({
    guards: guardsOf(
      { networkPolicy: 'default-deny', quota: undefined, admissionPolicy: undefined, podSecurity: undefined },
      'arena',
    ),
    find: (...asked) => cluster.find(...asked),
    namespace: 'arena',
    events: {
      async record({ resource, object }, { type, reason }: Happening) {
        told.push(`${type} ${reason} of ${resource.kind} ${object.metadata.namespace}/${object.metadata.name}`)
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
  return { watch, clock, cluster, told, logged, measured }
}

it('nothing is told while everything is in place', async () => {
  const { watch, told, logged, measured } = setUp()
  await watch.look()
  expect([told, logged, await measured()]).toEqual([[], [], ['NetworkPolicy default-deny: 1']])
})

it('what is taken away is an alarm within a minute: in the log, as an event and in the metrics; and so is its return', async () => {
  const { watch, clock, cluster, told, logged, measured } = setUp()
  const stop = new AbortController()
  const running = watch.run(stop.signal)
  await clock.advance(0)
  cluster.find = async () => undefined
  await clock.advance(59_000)
  expect(told).toEqual(['Warning GuardMissing of NetworkPolicy arena/default-deny'])
  expect(logged).toEqual(['error: What protects challenges is not in place'])
  expect(await measured()).toEqual(['NetworkPolicy default-deny: 0'])
  cluster.find = async () => policy
  await clock.advance(59_000)
  expect(told.slice(1)).toEqual(['Normal GuardRestored of NetworkPolicy arena/default-deny'])
  expect(await measured()).toEqual(['NetworkPolicy default-deny: 1'])
  stop.abort()
  await running
})

it('an alarm is raised again every ten minutes while its reason lasts', async () => {
  const { watch, clock, cluster, told } = setUp()
  cluster.find = async () => undefined
  const stop = new AbortController()
  const running = watch.run(stop.signal)
  await clock.advance(599_000)
  expect(told).toHaveLength(1)
  await clock.advance(11_000)
  expect(told).toHaveLength(2)
  stop.abort()
  await running
})

it('while nobody can tell, nothing is known and the log says so once; an alarm of before is not raised anew', async () => {
  const { watch, cluster, told, logged, measured } = setUp()
  cluster.find = async () => undefined
  await watch.look()
  cluster.find = () => Promise.reject(new Error('away'))
  await watch.look()
  await watch.look()
  expect(await measured()).toEqual(['NetworkPolicy default-deny: NaN'])
  cluster.find = async () => undefined
  await watch.look()
  expect(told).toHaveLength(1)
  expect(logged.slice(1)).toEqual(['warn: Could not look at what protects challenges'])
})
