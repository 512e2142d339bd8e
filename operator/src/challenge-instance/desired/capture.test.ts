import { describe, expect, it } from 'vitest'
import { aMomentPlusSeconds, anInstance, captureSettings, someSettings } from '../../testing/builders.ts'
import { desiredObjects } from './index.ts'
import type { ContainerSpec } from './pod.ts'

interface PodShape {
  initContainers?: ContainerSpec[]
  containers: ContainerSpec[]
  volumes?: object[]
  terminationGracePeriodSeconds: number
}

const capture = { enabled: true, maxSegmentMb: 4, maxSegmentSeconds: 10, maxStoredMb: 64 }
function build(instance = anInstance({ capture })) {
  const { pod, networkPolicy } = desiredObjects(instance, someSettings({ capture: captureSettings }), 0)
  return { pod: pod.spec as PodShape, policy: networkPolicy.spec as { ingress?: object[] } }
}
const collection = {
  from: [
    {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'platform' } },
      podSelector: { matchLabels: { 'app.kubernetes.io/component': 'api' } },
    },
  ],
  ports: [{ port: 19_100, protocol: 'TCP' }],
}

describe('an instance with recorded traffic', () => {
  it('has a recorder that runs as root with only NET_RAW', () => {
    const { pod } = build()
    expect(pod).not.toHaveProperty('initContainers')
    expect(pod.containers).toMatchObject([
      {
        name: 'capture',
        image: 'registry.example/capture:1',
        env: [
          { name: 'CAPTURE_PORT', value: '19100' },
          { name: 'CAPTURE_CHALLENGE_PORT', value: '1337' },
          { name: 'CAPTURE_SEGMENT_MB', value: '4' },
          { name: 'CAPTURE_SEGMENT_SECONDS', value: '10' },
          { name: 'CAPTURE_STORED_MB', value: '64' },
          { name: 'CAPTURE_END_SECONDS', value: '15' },
        ],
        securityContext: {
          runAsUser: 0,
          allowPrivilegeEscalation: false,
          privileged: false,
          capabilities: { drop: ['ALL'], add: ['NET_RAW'] },
        },
      },
      { name: 'challenge' },
    ])
  })

  it('an instance stores its recordings in the recorder’s file system, which has a size limit', () => {
    const { pod } = build()
    // The limit is the sum of 64 MB for stored segments, 12 MB for three more segments, 8 MB as a reserve, and 16 MB for logs.
    expect(pod.containers[0]?.resources.limits).toEqual({ cpu: '500m', memory: '32Mi', 'ephemeral-storage': '100Mi' })
    // The recorder uses no volume, because a volume would delay the start of the pod.
    expect(pod).not.toHaveProperty('volumes')
  })

  it.each([
    ['its own port', {}, '1337'],
    ['another port', { container: { furtherPorts: [9000], readiness: { port: 9000 } } }, '9000'],
  ])('has one probe, which the recorder answers once %s accepts connections', (_which, spec, port) => {
    const [recorder, challenge] = build(anInstance({ capture, ...spec })).pod.containers
    expect(recorder).not.toHaveProperty('readinessProbe')
    expect(recorder?.env).toContainEqual({ name: 'CAPTURE_CHALLENGE_PORT', value: port })
    expect(challenge?.readinessProbe).toEqual({
      httpGet: { port: 19_100, path: '/challenge' },
      periodSeconds: 1,
      timeoutSeconds: 5,
      failureThreshold: 3,
    })
  })

  it.each([
    ['answers a path', { path: '/healthz' }, { httpGet: { port: 1337, path: '/healthz' } }],
    ['writes a line', { line: 'serving' }, undefined],
  ])('has separate probes for recorder and challenge if the challenge %s', (_how, readiness, probe) => {
    const [recorder, challenge] = build(anInstance({ capture, container: { readiness } })).pod.containers
    expect(recorder?.readinessProbe).toMatchObject({ httpGet: { port: 19_100, path: '/ready' }, periodSeconds: 1 })
    expect(challenge?.readinessProbe).toEqual(probe && expect.objectContaining(probe))
  })

  it('an instance has a longer grace period, so that the collector can fetch its recordings', () => {
    expect(build().pod.terminationGracePeriodSeconds).toBe(30)
  })

  it('only the collector can connect to an instance that is being deleted', () => {
    expect(build().policy.ingress).toHaveLength(2)
    expect(build().policy.ingress?.[1]).toEqual(collection)
    const leaving = anInstance({ capture }, { metadata: { ...anInstance().metadata, deletionTimestamp: aMomentPlusSeconds(0) } })
    expect(build(leaving).policy.ingress).toEqual([collection])
  })

  it('accepts no players on the recorder’s port, even if the challenge lists that port', () => {
    const further = build(anInstance({ capture, container: { furtherPorts: [9000, 19_100] } })).policy.ingress
    expect(further?.[0]).toMatchObject({ ports: [{ port: 1337 }, { port: 9000 }] })
    expect(further?.[1]).toEqual(collection)
    for (const exposure of ['Proxy', 'NodePort'] as const)
      expect(build(anInstance({ capture, exposure, port: 19_100 })).policy.ingress).toEqual([collection])
  })
})

it('an instance has no recorder if its traffic is not recorded', () => {
  const { pod, policy } = build(anInstance())
  expect(pod).not.toHaveProperty('initContainers')
  expect(pod).not.toHaveProperty('volumes')
  expect(policy.ingress).toHaveLength(1)
})
