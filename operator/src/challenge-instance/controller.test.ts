import type { ChallengeInstance } from '@capstan/challenge-instance/challenge-instance'
import { createFakeClock } from '@capstan/kubernetes/testing/fake-clock'
import { silentLog } from '@capstan/kubernetes/testing/silent-log'
import { expect, test } from 'vitest'
import { aMoment, anInstance } from '../testing/builders.ts'
import { createController } from './controller.ts'
import type { Caches } from './ports.ts'

const key = 'arena/ci-1'

/** Creates a controller, and a function that reports a change of an instance to the controller. */
function setUp() {
  const cache = { onChange: () => undefined, get: () => undefined }
  let report: (now: ChallengeInstance | undefined, before: ChallengeInstance | undefined) => void = () => undefined
  const instances = { ...cache, onChange: (listener: typeof report) => (report = listener) }
  const controller = createController({
    caches: { instances, pods: cache, services: cache, networkPolicies: cache, secrets: cache } as unknown as Caches,
    clock: createFakeClock(aMoment),
    log: silentLog,
    random: () => 0,
    workers: 1,
    reconcile: async () => ({}),
    onFailure: () => undefined,
  })
  return { controller, report: (...change: Parameters<typeof report>) => report(...change) }
}

test('a deleted instance is found until it is forgotten, so that a failed pass can be repeated', () => {
  const { controller, report } = setUp()
  const instance = anInstance()
  report(undefined, instance)
  expect([controller.findDeletedInstance(key), controller.findDeletedInstance(key)]).toEqual([instance, instance])
  controller.forgetDeletedInstance(instance)
  expect(controller.findDeletedInstance(key)).toBeUndefined()
})

test('a deleted instance is not forgotten if it was deleted during the pass for an earlier instance of the same name', () => {
  const { controller, report } = setUp()
  const [first, second] = [anInstance(), anInstance()]
  report(undefined, first)
  report(second, undefined)
  expect(controller.findDeletedInstance(key)).toBeUndefined()
  report(undefined, second)
  controller.forgetDeletedInstance(first)
  expect(controller.findDeletedInstance(key)).toBe(second)
})
