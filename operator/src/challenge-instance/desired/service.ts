import type { InstanceContainer } from '@capstan/challenge-instance/containers'
import { challengePort } from '@capstan/challenge-instance/names'
import { services } from '@capstan/kubernetes/built-in-kinds'
import type { DesiredObject } from '@capstan/kubernetes/types'
import { createChildMetadata, createPodSelector } from './metadata.ts'

/**
 * Returns the service of an instance with exposure NodePort. Other instances have no service, because the gateway
 * connects to their pods directly. A service would also be visible to other challenges through the DNS servers of the
 * cluster. The service forwards even to pods that are not ready. When a pod becomes ready, its node port therefore
 * works without delay.
 * @param nodePort port on the nodes; if undefined, the API server chooses one
 */
export function desiredService(instance: InstanceContainer, nodePort?: number): DesiredObject {
  const { port } = instance.spec
  return {
    apiVersion: services.apiVersion,
    kind: services.kind,
    metadata: createChildMetadata(instance),
    spec: {
      type: 'NodePort',
      publishNotReadyAddresses: true,
      selector: createPodSelector(instance),
      ports: [
        {
          name: challengePort,
          port,
          protocol: 'TCP',
          targetPort: port,
          ...(nodePort === undefined ? {} : { nodePort }),
        },
      ],
    },
  }
}
