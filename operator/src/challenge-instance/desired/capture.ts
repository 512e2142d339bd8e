import type { InstanceContainer } from '@capstan/challenge-instance/containers'
import { captureContainer } from '@capstan/challenge-instance/names'
import type { InstanceSettings } from '../settings.ts'
import { type ContainerSpec, noExtras, type PodExtras, readinessPathOf, readinessPortOf } from './pod.ts'

type CaptureSettings = NonNullable<InstanceSettings['capture']>

export function captureSettingsOf({ spec }: InstanceContainer, settings: InstanceSettings): CaptureSettings | undefined {
  return spec.capture.enabled ? settings.capture : undefined
}

export function createRecorderPodExtras(instance: InstanceContainer, settings: InstanceSettings): PodExtras {
  const capture = captureSettingsOf(instance, settings)
  if (capture === undefined) return noExtras
  const companion = recorder(instance, settings, capture)
  // The recorder answers one probe for itself and the challenge. A second probe would cause one more update of the pod's status.
  // With one probe, 20 concurrent pods were ready after 8.3 s instead of 10.0 s. The recorder waits for the challenge before it
  // answers, because the kubelet repeats a failed probe only after a second.
  const port = readinessPortOf(instance)
  return port !== undefined && readinessPathOf(instance) === undefined
    ? { ...noExtras, companions: [companion], portProbe: probe(capture, '/challenge', 3) }
    : { ...noExtras, companions: [{ ...companion, readinessProbe: probe(capture, '/ready', 10) }] }
}

/**
 * Returns a probe that the recorder answers. Its timeout is five seconds, because the recorder waits up to four seconds for the
 * challenge.
 */
function probe({ port }: CaptureSettings, path: string, failureThreshold: number): object {
  return {
    httpGet: { port, path },
    periodSeconds: 1,
    timeoutSeconds: 5,
    failureThreshold,
  }
}

/** Returns the space for segments: the stored segments, three segments that are open or were just closed, and a reserve of 8 MB. */
function segmentsMb({ spec }: InstanceContainer): number {
  return spec.capture.maxStoredMb + 3 * spec.capture.maxSegmentMb + 8
}

/**
 * Returns the container that records traffic. It runs as root with only NET_RAW. It starts concurrently with the challenge,
 * because a native sidecar would delay each start by a second. It writes to its own file system, because a volume would delay the
 * start by 300 ms. Players can connect to the pod when the recording has started and the challenge is ready. When the pod ends,
 * the recorder continues until the challenge has ended.
 */
function recorder(instance: InstanceContainer, { imagePullPolicy }: InstanceSettings, capture: CaptureSettings): ContainerSpec {
  const { spec } = instance
  const { image, port, memoryMb, cpuMillis, terminationGraceSeconds } = capture
  const challengePort = readinessPortOf(instance) ?? spec.port
  const environment: Record<string, number | string> = {
    CAPTURE_PORT: port,
    ...(challengePort === undefined ? {} : { CAPTURE_CHALLENGE_PORT: challengePort }),
    ...(spec.capture.ports && { CAPTURE_PORTS: spec.capture.ports.join(',') }),
    CAPTURE_SEGMENT_MB: spec.capture.maxSegmentMb,
    CAPTURE_SEGMENT_SECONDS: spec.capture.maxSegmentSeconds,
    CAPTURE_STORED_MB: spec.capture.maxStoredMb,
    // The recorder gets half of the grace period, and the collector gets the other half.
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
  }
}
