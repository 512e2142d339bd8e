import type { InstanceContainer } from '@capstan/challenge-instance/containers'
import { flagFileContainer, flagFileVolume, flagKey } from '@capstan/challenge-instance/names'
import { flagFileVariables } from '../flag-file-variables.ts'
import type { InstanceSettings } from '../settings.ts'
import { type ContainerSpec, noExtras, type PodExtras } from './pod.ts'

const folder = '/flag'
const fileName = 'flag'

/**
 * Returns the mounts and containers that put the flag into a file. If root owns the file, the Secret is mounted. Otherwise an
 * init container writes the file into a volume before the challenge starts. The init container runs as the owner of the file, so
 * it needs no capability.
 */
export function createFlagFilePodExtras({ spec }: InstanceContainer, settings: InstanceSettings): PodExtras {
  const file = spec.flag?.file
  if (spec.flag === undefined || file === undefined) return noExtras
  const mounts = [{ name: flagFileVolume, mountPath: file.path, subPath: fileName, readOnly: true }]
  const image = settings.flagFileImage
  if (file.owner === 0 || image === undefined) {
    const items = [{ key: flagKey, path: fileName, mode: Number.parseInt(file.mode, 8) }]
    return { ...noExtras, volumes: [{ name: flagFileVolume, secret: { secretName: spec.flag.secretName, items } }], mounts }
  }
  return {
    preparations: [writer({ secretName: spec.flag.secretName, mode: file.mode, owner: file.owner, image }, settings)],
    companions: [],
    volumes: [{ name: flagFileVolume, emptyDir: { sizeLimit: '1Mi' } }],
    mounts,
  }
}

type Writing = Readonly<{
  secretName: string
  mode: string
  owner: number
  image: string
}>

function writer({ secretName, mode, owner, image }: Writing, { imagePullPolicy }: InstanceSettings): ContainerSpec {
  return {
    name: flagFileContainer,
    image,
    imagePullPolicy,
    command: ['node', 'operator/src/flag-file/main.ts'],
    env: [
      { name: flagFileVariables.path, value: `${folder}/${fileName}` },
      { name: flagFileVariables.mode, value: mode },
      { name: flagFileVariables.text, valueFrom: { secretKeyRef: { name: secretName, key: flagKey } } },
    ],
    resources: {
      requests: { cpu: '10m', memory: '64Mi', 'ephemeral-storage': '16Mi' },
      limits: { cpu: '500m', memory: '96Mi', 'ephemeral-storage': '16Mi' },
    },
    securityContext: {
      runAsUser: owner,
      runAsGroup: owner,
      runAsNonRoot: true,
      allowPrivilegeEscalation: false,
      privileged: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [{ name: flagFileVolume, mountPath: folder }],
  }
}
