import type { ChallengeInstance } from '@capstan/challenge-instance/challenge-instance'
import { challengePort } from '@capstan/challenge-instance/names'
import { services } from '@capstan/kubernetes/built-in-kinds'
import type { DesiredObject } from '@capstan/kubernetes/types'
import { childMetadata, podSelector } from './metadata.ts'

/**
 * The service of an instance of exposure NodePort. Others have none: the gateway dials the pod, and a service would tell every
 * challenge that may ask the name servers which others there are. Addresses of pods that are not ready are published: there is one
 * pod, and this way the node port leads to it by the time it is ready, instead of a moment later.
 * @param nodePort left to the API server if absent
 */
export function desiredService(instance: ChallengeInstance, nodePort?: number): DesiredObject {
  return {
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
  }
}
