import type { ChallengeInstance } from '@capstan/challenge-instance/challenge-instance'
import { captureContainer } from '@capstan/challenge-instance/names'
import type { InstanceSettings } from '../settings.ts'
import { type ContainerSpec, noExtras, type PodExtras, readinessPortOf } from './pod.ts'

type CaptureSettings = NonNullable<InstanceSettings['capture']>

/** The settings of the recorder where this instance has one: wanted by the instance, and configured in the operator. */
export function captureOf({ spec }: ChallengeInstance, settings: InstanceSettings): CaptureSettings | undefined {
  return spec.capture.enabled ? settings.capture : undefined
}

/** The recorder, or nothing. */
export function captureExtras(instance: ChallengeInstance, settings: InstanceSettings): PodExtras {
  const capture = captureOf(instance, settings)
  if (capture === undefined) return noExtras
  return {
    ...noExtras,
    companions: [recorder(instance, settings, capture)],
    // The kubelet repeats a failed probe a second later. The recorder instead waits until the challenge accepts connections.
    portProbe: probe(capture, '/challenge', 3),
  }
}

/** A probe that the recorder answers. It waits less than five seconds for what is not ready yet. */
function probe({ port }: CaptureSettings, path: string, failureThreshold: number): object {
  return {
    httpGet: { port, path },
    periodSeconds: 1,
    timeoutSeconds: 5,
    failureThreshold,
  }
}

/** Maximum size of all segments: those that are stored, the one being written, and one that was closed a moment ago. */
function segmentsMb({ spec }: ChallengeInstance): number {
  return spec.capture.maxStoredMb + 3 * spec.capture.maxSegmentMb + 8
}

/**
 * The container that records: root, with NET_RAW alone. It starts in the same round as the challenge, because a native sidecar makes
 * each start a second longer. It writes to its own file system, because the kubelet starts a pod with a volume 300 ms later. Players
 * reach the pod only when both containers are ready. When the kubelet ends the pod, the recorder records until the challenge has ended.
 */
function recorder(instance: ChallengeInstance, { imagePullPolicy }: InstanceSettings, capture: CaptureSettings): ContainerSpec {
  const { spec } = instance
  const { image, port, memoryMb, cpuMillis, terminationGraceSeconds } = capture
  const environment: Record<string, number> = {
    CAPTURE_PORT: port,
    CAPTURE_CHALLENGE_PORT: readinessPortOf(instance),
    CAPTURE_SEGMENT_MB: spec.capture.maxSegmentMb,
    CAPTURE_SEGMENT_SECONDS: spec.capture.maxSegmentSeconds,
    CAPTURE_STORED_MB: spec.capture.maxStoredMb,
    // The other half of the time is for the collector.
    CAPTURE_END_SECONDS: Math.ceil(terminationGraceSeconds / 2),
  }
  return {
    name: captureContainer,
    image,
    imagePullPolicy,
    env: Object.entries(environment).map(([name, value]) => ({ name, value: String(value) })),
    ports: [{ name: captureContainer, containerPort: port, protocol: 'TCP' }],
    resources: {
      requests: { cpu: '10m', memory: `${memoryMb}Mi`, 'ephemeral-storage': '16Mi' },
      limits: { cpu: `${cpuMillis}m`, memory: `${memoryMb}Mi`, 'ephemeral-storage': `${segmentsMb(instance) + 16}Mi` },
    },
    securityContext: {
      runAsUser: 0,
      runAsNonRoot: false,
      allowPrivilegeEscalation: false,
      privileged: false,
      capabilities: { drop: ['ALL'], add: ['NET_RAW'] },
    },
    // It answers once every frame is recorded.
    readinessProbe: probe(capture, '/ready', 10),
  }
}
