import type { ChallengeInstance } from '@capstan/challenge-instance/challenge-instance'
import { captureContainer } from '@capstan/challenge-instance/names'
import type { InstanceSettings } from '../settings.ts'
import { type ContainerSpec, noExtras, type PodExtras } from './pod.ts'

type CaptureSettings = NonNullable<InstanceSettings['capture']>

const volume = 'capture'

/** The settings of the sidecar where this instance has one: wanted by the instance, and configured in the operator. */
export const captureOf = ({ spec }: ChallengeInstance, settings: InstanceSettings): CaptureSettings | undefined =>
  spec.capture.enabled ? settings.capture : undefined

/** The capture sidecar and its volume, or nothing. */
export function captureExtras(instance: ChallengeInstance, settings: InstanceSettings): PodExtras {
  const capture = captureOf(instance, settings)
  if (capture === undefined) return noExtras
  const volumeMb = volumeSizeMb(instance)
  return {
    ...noExtras,
    sidecars: [sidecar(instance, settings, capture, volumeMb)],
    volumes: [{ name: volume, emptyDir: { sizeLimit: `${volumeMb}Mi` } }],
  }
}

/** Room for what is kept, for the segment being written, and for one that was closed a moment ago. The sidecar never fills it. */
const volumeSizeMb = ({ spec }: ChallengeInstance): number => spec.capture.maxStoredMb + 3 * spec.capture.maxSegmentMb + 8

/** A native sidecar: runs before the challenge starts and after it ended. Root, with NET_RAW alone, on a read-only file system. */
function sidecar(
  { spec }: ChallengeInstance,
  { imagePullPolicy }: InstanceSettings,
  { image, port, memoryMb, cpuMillis }: CaptureSettings,
  volumeMb: number,
): ContainerSpec {
  const environment: Record<string, number> = {
    CAPTURE_PORT: port,
    CAPTURE_SEGMENT_MB: spec.capture.maxSegmentMb,
    CAPTURE_SEGMENT_SECONDS: spec.capture.maxSegmentSeconds,
    CAPTURE_STORED_MB: spec.capture.maxStoredMb,
  }
  return {
    name: captureContainer,
    image,
    imagePullPolicy,
    restartPolicy: 'Always',
    env: Object.entries(environment).map(([name, value]) => ({ name, value: String(value) })),
    ports: [{ name: captureContainer, containerPort: port, protocol: 'TCP' }],
    resources: {
      requests: { cpu: '10m', memory: `${memoryMb}Mi`, 'ephemeral-storage': '16Mi' },
      // The volume counts towards the limits of the pod's containers, so the sidecar brings what it may use.
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
    // The server answers once every frame is recorded, and the challenge starts after that.
    startupProbe: { tcpSocket: { port }, periodSeconds: 1, failureThreshold: 60 },
    volumeMounts: [{ name: volume, mountPath: '/data' }],
  }
}
