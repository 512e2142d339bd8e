import type { DesiredObject } from '../../kube/types.ts'
import { podSelector } from '../labels.ts'
import { challengePort } from '../names.ts'
import { type ChallengeInstance, services } from '../types.ts'
import { childMetadata } from './metadata.ts'

/**
 * The service of an instance of exposure NodePort. Others have none: the gateway dials the pod, and a service would tell every
 * challenge that may ask the name servers which others there are. Addresses of pods that are not ready are published: there is one
 * pod, and this way the node port leads to it by the time it is ready, instead of a moment later.
 * @param nodePort left to the API server if absent
 */
export const desiredService = (instance: ChallengeInstance, nodePort?: number): DesiredObject => ({
  apiVersion: services.apiVersion,
  kind: services.kind,
  metadata: childMetadata(instance),
  spec: {
    type: 'NodePort',
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
