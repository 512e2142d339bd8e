import type { ChallengeInstance } from '@capstan/challenge-instance/challenge-instance'
import { challengePort } from '@capstan/challenge-instance/names'
import { services } from '@capstan/kubernetes/built-in-kinds'
import type { DesiredObject } from '@capstan/kubernetes/types'
import { childMetadata, podSelector } from './metadata.ts'

/**
 * Returns the service of an instance with exposure NodePort. Other instances have none: the gateway connects to the pod, and
 * name servers would reveal services to other challenges. Unready addresses are published, so that the node port works when
 * the pod is ready.
 * @param nodePort chosen by the API server if absent
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
