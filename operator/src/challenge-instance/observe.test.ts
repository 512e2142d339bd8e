import { type ReadyReason, readyReasons } from '@capstan/challenge-instance/reasons'
import type { Pod } from '@capstan/kubernetes/built-in-kinds'
import { findCondition } from '@capstan/kubernetes/conditions'
import { describe, expect, it } from 'vitest'
import { aMoment, aMomentPlusSeconds, anInstance, aPod, aService, captureSettings, someSettings } from '../testing/builders.ts'
import { deriveStatus, findTransition, isStatusOfNormalStart } from './observe.ts'
import type { View } from './view.ts'

const noChildren = { pod: undefined, service: undefined, networkPolicy: undefined, flagSecret: undefined }

/** Returns the status that the operator derives `seconds` after the creation of the instance. */
function look(pod: Pod | undefined, { seconds = 1, ...changes }: Partial<View> & { seconds?: number } = {}) {
  const now = new Date(aMoment.getTime() + seconds * 1000)
  return deriveStatus({
    instance: anInstance(),
    refusal: undefined,
    unmet: [],
    settings: someSettings(),
    now,
    ...changes,
    children: { ...noChildren, pod, service: aService(), ...changes.children },
  })
}

function readyOf(pod: Pod | undefined, changes?: Parameters<typeof look>[1]) {
  return findCondition(look(pod, changes).conditions, 'Ready')
}
function waiting(reason: string, message = '') {
  return aPod({ state: { waiting: { reason, message } } })
}
function crashed(seconds: number) {
  return {
    terminated: { exitCode: 3, reason: 'Error', startedAt: aMomentPlusSeconds(0), finishedAt: aMomentPlusSeconds(seconds) },
  }
}

const recordedInstance = anInstance({ capture: { enabled: true, maxSegmentMb: 8, maxSegmentSeconds: 30, maxStoredMb: 128 } })

describe('the condition Ready', () => {
  const cases: [string, ReadyReason, Pod | undefined, number][] = [
    ['without a pod', 'Starting', undefined, 1],
    ['while a container is being created', 'Starting', aPod(), 2],
    ['while the creation of a container takes three seconds or more', 'Pulling', aPod(), 3],
    ['while the port is silent', 'Starting', aPod({ state: { running: { startedAt: aMomentPlusSeconds(0) } } }), 19],
    [
      'while the port is silent for 20 seconds',
      'NotAnswering',
      aPod({ state: { running: { startedAt: aMomentPlusSeconds(0) } } }),
      20,
    ],
    ['when the port answers', 'Ready', aPod({ ready: true }), 1],
    ['while the scheduler finds no node', 'Scheduling', aPod({ unscheduled: '0/1 nodes' }), 9],
    ['when the scheduler found no node for ten seconds', 'Unschedulable', aPod({ unscheduled: '0/1 nodes' }), 10],
    ['when the pull failed', 'ImagePullFailed', waiting('ErrImagePull'), 1],
    ['while the kubelet waits to pull again', 'ImagePullFailed', waiting('ImagePullBackOff'), 1],
    ['when the image may not be pulled', 'ImagePullFailed', waiting('ErrImageNeverPull'), 1],
    ['when the name of the image is not valid', 'InvalidImage', waiting('InvalidImageName'), 1],
    [
      'when the image wants root',
      'ImageRunsAsRoot',
      waiting('CreateContainerConfigError', 'container has runAsNonRoot and image will run as root'),
      1,
    ],
    ['when the Secret vanished', 'FlagMissing', waiting('CreateContainerConfigError', 'secret "ci-1" not found'), 1],
    ['when the container cannot be made', 'ContainerFailed', waiting('CreateContainerError'), 1],
    ['when the program cannot be run', 'ContainerFailed', waiting('RunContainerError'), 1],
    ['after one crash', 'Restarting', aPod({ state: crashed(1) }), 2],
    [
      'after crashes',
      'CrashLooping',
      aPod({ state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: crashed(1), restartCount: 1 }),
      2,
    ],
    [
      'while it runs between two crashes',
      'CrashLooping',
      aPod({ state: { running: { startedAt: aMomentPlusSeconds(1) } }, lastState: crashed(1), restartCount: 2 }),
      2,
    ],
    [
      'while it restarts after a long run',
      'Starting',
      aPod({ state: { running: { startedAt: aMomentPlusSeconds(70) } }, lastState: crashed(61), restartCount: 2 }),
      71,
    ],
    ['when the pod was evicted', 'Evicted', aPod({ phase: 'Failed', reason: 'Evicted' }), 1],
    ['when the pod failed otherwise', 'PodFailed', aPod({ phase: 'Failed', reason: 'NodeShutdown' }), 1],
    ['while a ready pod is being deleted', 'Restarting', aPod({ ready: true, beingDeleted: true }), 1],
  ]
  it.each(cases)('%s has the reason %s', (_when, reason, pod, seconds) => {
    expect(readyOf(pod, { seconds })).toMatchObject({
      status: reason === 'Ready' ? 'True' : 'False',
      reason,
      message: readyReasons[reason].message,
    })
  })

  it('Ready is true only after the current run wrote the readiness line, if the challenge requires a readiness line', () => {
    const instance = anInstance({ container: { readiness: { line: 'serving "all"' } } })
    const look = (lineRun: string, seconds = 1, run = 'a') =>
      deriveStatus({
        ...{ instance, refusal: undefined, unmet: [], settings: someSettings() },
        now: new Date(aMoment.getTime() + seconds * 1000),
        children: { ...noChildren, pod: aPod({ ready: true, lineRun, run }) },
      }).conditions
    expect(findCondition(look(''), 'Ready')?.reason).toBe('Starting')
    expect(findCondition(look('', 20), 'Ready')?.reason).toBe('NotAnswering')
    expect(findCondition(look('', 20), 'Reachable')?.message).toBe('No line with "serving \\"all\\"" was written')
    expect(findCondition(look('a', 20), 'Ready')?.reason).toBe('Ready')
    expect(findCondition(look('a'), 'Reachable')).toMatchObject({ status: 'True', reason: 'LineWritten' })
    expect(findCondition(look('a', 1, 'b'), 'Ready')?.reason).toBe('Starting')
  })

  it('has the reason ContainerFailed if the container crashes repeatedly because its program cannot be started', () => {
    const lastState = { terminated: { exitCode: 128, reason: 'StartError' } }
    const pod = aPod({ state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState, restartCount: 1 })
    expect(readyOf(pod)?.reason).toBe('ContainerFailed')
  })

  it('has the reason Restarting instead of Starting if the instance was ready before', () => {
    const instance = anInstance({}, { status: { startedAt: aMomentPlusSeconds(0) } })
    expect(readyOf(undefined, { instance })?.reason).toBe('Restarting')
  })

  it('has the reason of the refusal if the API server refused the pod', () => {
    expect(readyOf(undefined, { refusal: { reason: 'QuotaExceeded', detail: 'exceeded quota: pods' } })?.reason).toBe(
      'QuotaExceeded',
    )
  })

  it('has the reason FlagMissing if the flag’s Secret is missing for five seconds', () => {
    const instance = anInstance({ flag: { secretName: 'ci-1', environmentNames: ['FLAG'] } })
    expect(readyOf(undefined, { instance, seconds: 4 })?.reason).toBe('Starting')
    expect(readyOf(undefined, { instance, seconds: 5 })?.reason).toBe('FlagMissing')
  })

  it('Ready is true only after the service has a node port, if the exposure is NodePort', () => {
    const instance = anInstance({ exposure: 'NodePort' })
    const pod = aPod({ ready: true })
    expect(readyOf(pod, { instance, children: { ...noChildren, pod } })?.reason).toBe('Starting')
    expect(readyOf(pod, { instance, children: { ...noChildren, pod, service: aService(30_123) } })?.reason).toBe('Ready')
  })

  it('has the reason of the recorder’s failure if only the recorder fails', () => {
    const state = { running: { startedAt: aMomentPlusSeconds(0) } }
    const pod = aPod({ state, capture: { waiting: { reason: 'ImagePullBackOff' } } })
    const ready = readyOf(pod, { instance: recordedInstance, settings: someSettings({ capture: captureSettings }) })
    expect(ready?.reason).toBe('ImagePullFailed')
  })
})

describe('the conditions PodScheduled and Reachable', () => {
  it('an instance’s conditions show the reasons of the scheduler and the kubelet', () => {
    const { conditions } = look(waiting('ErrImagePull', 'not found'))
    expect(findCondition(conditions, 'PodScheduled')).toMatchObject({ status: 'True', reason: 'Scheduled' })
    expect(findCondition(conditions, 'Reachable')).toMatchObject({
      status: 'False',
      reason: 'ImagePullFailed',
      message: 'ErrImagePull: not found',
    })
  })

  it('the condition PodScheduled has the reason NoPod if the pod is missing', () => {
    expect(findCondition(look(undefined).conditions, 'PodScheduled')).toMatchObject({ status: 'Unknown', reason: 'NoPod' })
  })

  it('show the scheduler’s reason if it found no node', () => {
    expect(findCondition(look(aPod({ unscheduled: '0/1 nodes: too little memory' })).conditions, 'PodScheduled')).toMatchObject({
      status: 'False',
      reason: 'Unschedulable',
      message: '0/1 nodes: too little memory',
    })
  })

  it('show the reason of the last crash', () => {
    const killed = {
      terminated: { exitCode: 137, reason: 'OOMKilled', startedAt: aMomentPlusSeconds(0), finishedAt: aMomentPlusSeconds(1) },
    }
    const pod = aPod({ state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: killed, restartCount: 3 })
    expect(findCondition(look(pod).conditions, 'Reachable')?.message).toBe(
      'The container stopped (it used more memory than its limit)',
    )
  })

  it.each([0, 3])('the status contains no text from /dev/termination-log, even after %i restarts', (restartCount) => {
    const exit = {
      exitCode: 3,
      reason: 'Error',
      message: 'flag{secret}\u007f',
      startedAt: aMomentPlusSeconds(0),
      finishedAt: aMomentPlusSeconds(1),
    }
    const pods = [
      aPod({ state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated: exit }, restartCount }),
      aPod({ state: { terminated: exit }, restartCount }),
      aPod({ state: { running: { startedAt: aMomentPlusSeconds(2) } }, lastState: { terminated: exit }, restartCount }),
    ]
    for (const pod of pods) expect(JSON.stringify(look(pod))).not.toContain('secret')
  })

  it('the condition Reachable contains the container runtime’s error if the program could not start', () => {
    const never = {
      exitCode: 128,
      reason: 'StartError',
      message: 'exec: "srever": not found',
      startedAt: aMomentPlusSeconds(0),
      finishedAt: aMomentPlusSeconds(1),
    }
    const pod = aPod({ state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated: never }, restartCount: 3 })
    expect(findCondition(look(pod).conditions, 'Reachable')?.message).toContain('exec: "srever": not found')
  })

  it('the message of a condition has at most 1024 characters', () => {
    const message = findCondition(look(waiting('ErrImagePull', 'x'.repeat(5000))).conditions, 'Reachable')?.message
    expect(message).toHaveLength(1024)
  })
})

describe('the condition CaptureHealthy', () => {
  const healthOf = (pod: Pod | undefined, capture: typeof captureSettings | undefined) =>
    findCondition(look(pod, { instance: recordedInstance, settings: someSettings({ capture }) }).conditions, 'CaptureHealthy')

  it.each([
    ['no recorder is configured', 'CaptureNotConfigured', aPod({ ready: true }), undefined],
    ['there is no pod yet', 'CaptureStarting', undefined, captureSettings],
    [
      'the recorder is being created',
      'CaptureStarting',
      aPod({ capture: { waiting: { reason: 'PodInitializing' } } }),
      captureSettings,
    ],
    ['the recorder crashes', 'CaptureFailed', aPod({ capture: { waiting: { reason: 'CrashLoopBackOff' } } }), captureSettings],
    ['the recorder runs', 'Capturing', aPod({ capture: { running: { startedAt: aMomentPlusSeconds(0) } } }), captureSettings],
  ] as const)('has a reason if %s: %s', (_when, reason, pod, capture) => {
    expect(healthOf(pod, capture)).toMatchObject({ status: reason === 'Capturing' ? 'True' : 'False', reason })
  })

  it('CaptureHealthy is true for a pod of an earlier version, in which the recorder is a native sidecar', () => {
    const pod = aPod({ ready: true })
    const running = { running: { startedAt: aMomentPlusSeconds(0) } }
    const earlier = {
      ...pod,
      status: { ...pod.status, initContainerStatuses: [{ name: 'capture', ready: true, restartCount: 0, state: running }] },
    }
    expect(healthOf(earlier, captureSettings)).toMatchObject({ status: 'True', reason: 'Capturing' })
  })

  it('CaptureHealthy is absent if no traffic is recorded', () => {
    expect(findCondition(look(aPod()).conditions, 'CaptureHealthy')).toBeUndefined()
  })
})

describe('the rest of the status', () => {
  it('contains the address of the recorder only if traffic is recorded', () => {
    const pod = aPod({ ready: true, capture: { running: { startedAt: aMomentPlusSeconds(0) } } })
    expect(
      look(pod, { instance: recordedInstance, settings: someSettings({ capture: captureSettings }) }).captureAddress,
    ).toEqual({
      host: '10.1.2.3',
      port: 19_100,
    })
    expect(look(pod, { settings: someSettings({ capture: captureSettings }) }).captureAddress).toBeUndefined()
  })

  it('contains the pod’s address, to which the gateway connects', () => {
    expect(look(aPod({ ready: true })).address).toEqual({ host: '10.1.2.3', port: 1337 })
  })

  it.each([
    ['the node', undefined, '192.0.2.10'],
    ['the public host', 'play.example.org', 'play.example.org'],
  ])('shows %s and the node port for players', (_what, publicHost, host) => {
    const pod = aPod({ ready: true })
    const view = {
      instance: anInstance({ exposure: 'NodePort' }),
      settings: someSettings({ publicHost }),
      children: { ...noChildren, pod, service: aService(30_123) },
    }
    expect(look(pod, view).address).toEqual({ host, port: 30_123 })
  })

  it('lists the addresses for players only while the instance is ready', () => {
    const ways = [
      { way: 'Http' as const, address: 'https://*.play.example.org/' },
      { way: 'Tls' as const, address: '*-9000.play.example.org:1337', port: 9000 },
    ]
    const offered = anInstance({ ways })
    expect(look(aPod({ ready: true }), { instance: offered }).ways).toEqual(ways)
    expect(look(aPod(), { instance: offered })).not.toHaveProperty('ways')
    expect(look(aPod({ ready: true }))).not.toHaveProperty('ways')
    const children = { ...noChildren, pod: aPod({ ready: true }), service: aService(30_123) }
    expect(look(aPod({ ready: true }), { instance: anInstance({ exposure: 'NodePort' }), children }).ways).toEqual([
      { way: 'Tcp', address: '192.0.2.10:30123' },
    ])
  })

  it('shows no address until the instance is ready for the first time, and retains the address during restarts', () => {
    const pod = aPod({ state: { running: { startedAt: aMomentPlusSeconds(0) } } })
    expect(look(pod).address).toBeUndefined()
    const instance = anInstance({}, { status: { startedAt: aMomentPlusSeconds(-60) } })
    expect(look(pod, { instance }).address).toEqual({ host: '10.1.2.3', port: 1337 })
  })

  it('shows no address if the pod is being deleted', () => {
    expect(look(aPod({ ready: true, beingDeleted: true })).address).toBeUndefined()
  })

  it('retains the time at which the instance became ready for the first time', () => {
    const first = look(aPod({ ready: true, createdSecondsLater: 1 }), { seconds: 2 })
    expect(first.startedAt).toBe(aMomentPlusSeconds(1))
    const later = look(undefined, { seconds: 600, instance: anInstance({}, { status: first }) })
    expect(later.startedAt).toBe(aMomentPlusSeconds(1))
  })

  it('contains the sum of restarts by the kubelet and replacements of the pod', () => {
    expect(look(aPod({ ready: true, restartCount: 2, attempt: 3 })).restarts).toBe(5)
  })

  it('contains the generation of the observed instance', () => {
    const instance = anInstance()
    instance.metadata.generation = 4
    const status = look(aPod(), { instance })
    expect([status.observedGeneration, ...status.conditions.map((condition) => condition.observedGeneration)]).toEqual([
      4, 4, 4, 4,
    ])
  })

  it('does not change if only time passes', () => {
    const first = look(aPod({ ready: true }), { seconds: 1 })
    const second = look(aPod({ ready: true }), { seconds: 100, instance: anInstance({}, { status: first }) })
    expect(second).toEqual(first)
  })
})

describe('a change of Ready', () => {
  const status = (pod: Pod) => look(pod).conditions

  it('a change is reported when an instance becomes ready', () => {
    expect(findTransition(status(aPod()), status(aPod({ ready: true })))).toEqual({
      type: 'Normal',
      reason: 'Ready',
      note: 'The challenge is running.',
    })
  })

  it('a change is reported with the technical detail if the instance fails', () => {
    expect(findTransition(status(aPod()), status(waiting('ErrImagePull', 'not found')))).toEqual({
      type: 'Warning',
      reason: 'ImagePullFailed',
      note: 'ErrImagePull: not found',
    })
  })

  it('a change of only the message is not reported, and neither are the steps of a normal start', () => {
    expect(findTransition(status(waiting('ErrImagePull', 'a')), status(waiting('ErrImagePull', 'b')))).toBeUndefined()
    expect(findTransition(undefined, status(aPod()))).toBeUndefined()
  })
})

describe('a normal start', () => {
  const running = aPod({ state: { running: { startedAt: aMomentPlusSeconds(5) } } })
  const isQuiet = (pod: Pod | undefined, seconds: number, { instance = anInstance(), ...changes }: Partial<View> = {}) =>
    isStatusOfNormalStart(
      instance,
      [pod],
      look(pod, { seconds, instance, ...changes }),
      new Date(aMoment.getTime() + seconds * 1000),
    )

  it('the operator writes no status in the first ten seconds of a normal start', () => {
    expect(isQuiet(undefined, 1)).toBe(true)
    expect(isQuiet({ ...aPod(), status: {} }, 9)).toBe(true)
    expect(isQuiet(aPod(), 2)).toBe(true)
    expect(isQuiet(running, 9)).toBe(true)
    expect(isQuiet(running, 10)).toBe(false)
  })

  it('the status is written before ten seconds have passed if the instance becomes ready, downloads its image or fails', () => {
    expect(isQuiet(aPod({ ready: true }), 1)).toBe(false)
    expect(isQuiet(aPod(), 3)).toBe(false)
    expect(isQuiet(waiting('ErrImagePull'), 1)).toBe(false)
    expect(isQuiet(undefined, 1, { refusal: { reason: 'QuotaExceeded', detail: 'full' } })).toBe(false)
  })

  it('the status is also written after ten seconds if traffic is recorded', () => {
    const instance = anInstance({ capture: { enabled: true, maxSegmentMb: 8, maxSegmentSeconds: 30, maxStoredMb: 128 } })
    const pod = aPod({ capture: { running: { startedAt: aMomentPlusSeconds(0) } } })
    const recording = { instance, settings: someSettings({ capture: captureSettings }) }
    expect(isQuiet(pod, 2, recording)).toBe(true)
    expect(isQuiet(pod, 10, recording)).toBe(false)
  })

  it('the status is written two seconds after an image download if the container is not yet ready', () => {
    const instance = anInstance({}, { status: look(aPod(), { seconds: 4 }) })
    expect(isQuiet(running, 6, { instance })).toBe(true)
    expect(isQuiet(running, 7, { instance })).toBe(false)
    expect(isQuiet(undefined, 6, { instance })).toBe(false)
  })

  it('the status is written immediately if the current status shows a problem', () => {
    const instance = anInstance({}, { status: look(aPod({ unscheduled: 'no' }), { seconds: 4 }) })
    expect(isQuiet(running, 6, { instance })).toBe(false)
  })
})
