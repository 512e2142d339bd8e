import type { ChallengeInstance } from '@capstan/challenge-instance/challenge-instance'
import { captureContainer } from '@capstan/challenge-instance/names'
import type { InstanceSettings } from '../settings.ts'
import { type ContainerSpec, noExtras, type PodExtras } from './pod.ts'

type CaptureSettings = NonNullable<InstanceSettings['capture']>

const volume = 'capture'

/** The settings of the recorder where this instance has one: wanted by the instance, and configured in the operator. */
export const captureOf = ({ spec }: ChallengeInstance, settings: InstanceSettings): CaptureSettings | undefined =>
  spec.capture.enabled ? settings.capture : undefined

/** The recorder and its volume, or nothing. */
export function captureExtras(instance: ChallengeInstance, settings: InstanceSettings): PodExtras {
  const capture = captureOf(instance, settings)
  if (capture === undefined) return noExtras
  const volumeMb = volumeSizeMb(instance)
  return {
    ...noExtras,
    companions: [recorder(instance, settings, capture, volumeMb)],
    volumes: [{ name: volume, emptyDir: { sizeLimit: `${volumeMb}Mi` } }],
  }
}

/** Room for what is kept, for the segment being written, and for one that was closed a moment ago. The recorder never fills it. */
const volumeSizeMb = ({ spec }: ChallengeInstance): number => spec.capture.maxStoredMb + 3 * spec.capture.maxSegmentMb + 8

/**
 * The container that records: root, with NET_RAW alone, on a read-only file system. It starts in the same round as the challenge, because
 * a native sidecar makes each start a second longer. Players reach the pod only when both are ready, and when the kubelet asks it to end,
 * it records until the challenge has ended.
 */
function recorder(
  { spec }: ChallengeInstance,
  { imagePullPolicy }: InstanceSettings,
  { image, port, memoryMb, cpuMillis, terminationGraceSeconds }: CaptureSettings,
  volumeMb: number,
): ContainerSpec {
  const environment: Record<string, number> = {
    CAPTURE_PORT: port,
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
      // The volume counts towards the limits of the pod's containers, so the recorder brings what it may use.
      limits: { cpu: `${cpuMillis}m`, memory: `${memoryMb}Mi`, 'ephemeral-storage': `${volumeMb + 16}Mi` },
    },
    securityContext: {
      runAsUser: 0,
      runAsNonRoot: false,
      allowPrivilegeEscalation: false,
      privileged: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'], add: ['NET_RAW'] },
    },
    // The recorder answers once every frame is recorded. A failed probe would be repeated only a second later.
    readinessProbe: { httpGet: { port, path: '/ready' }, periodSeconds: 1, timeoutSeconds: 5, failureThreshold: 10 },
    volumeMounts: [{ name: volume, mountPath: '/data' }],
  }
}
