import type { DesiredObject } from '../../kube/types.ts'
import { podSelector } from '../labels.ts'
import { challengePort } from '../names.ts'
import { type ChallengeInstance, services } from '../types.ts'
import { childMetadata } from './metadata.ts'

/**
 * The service of an instance: a lasting name in the cluster, and the node port where exposure asks for one. Addresses of pods that are
 * not ready are published: there is one pod, and this way the node port leads to it by the time it is ready, instead of a moment later.
 * @param nodePort left to the API server if absent
 */
export const desiredService = (instance: ChallengeInstance, nodePort?: number): DesiredObject => ({
  apiVersion: services.apiVersion,
  kind: services.kind,
  metadata: childMetadata(instance),
  spec: {
    type: instance.spec.exposure === 'NodePort' ? 'NodePort' : 'ClusterIP',
    publishNotReadyAddresses: true,
    selector: podSelector(instance),
    ports: [
      {
        name: challengePort,
        port: instance.spec.port,
        protocol: 'TCP',
        targetPort: instance.spec.port,
        ...(nodePort === undefined ? {} : { nodePort }),
      },
    ],
  },
})
