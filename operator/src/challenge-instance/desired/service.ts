import type { ChallengeInstance } from '@capstan/challenge-instance/challenge-instance'
import { challengePort } from '@capstan/challenge-instance/names'
import { services } from '@capstan/kubernetes/built-in-kinds'
import type { DesiredObject } from '@capstan/kubernetes/types'
import { childMetadata, podSelector } from './metadata.ts'

/**
 * Returns the service of an instance of exposure NodePort. Other instances have none, because the gateway connects to the pod.
 * Name servers would also reveal services to other challenges. Addresses of pods that are not ready are published, so that the
 * node port works as soon as the pod is ready.
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
