import { hasAllDesiredValues } from '@capstan/kubernetes/apply'
import { services } from '@capstan/kubernetes/built-in-kinds'
import type { DesiredObject } from '@capstan/kubernetes/types'
import { desiredService } from '../desired/service.ts'
import type { NodePorts } from '../node-ports.ts'
import type { ContainerPass, Outcome } from '../pass.ts'
import { isNodePortTakenError } from '../refusals.ts'
import { applyChild } from '../writes.ts'

export async function ensureService(pass: ContainerPass): Promise<void> {
  const { children, desired } = pass
  const nodePorts = neededNodePorts(pass)
  if (nodePorts) return makeWithPort(pass, nodePorts)
  if (desired.service && !hasAllDesiredValues(desired.service, children.service)) await apply(pass, desired.service)
}

/**
 * Checks whether the instance needs a node port although no port is free. In this case, the reconciliation creates no objects.
 * @returns undefined if no port is missing
 */
export function findPortShortage(pass: ContainerPass): Outcome | undefined {
  const nodePorts = neededNodePorts(pass)
  if (!nodePorts || nodePorts.hasFree()) return undefined
  const detail = `Every node port from ${nodePorts.range.first} to ${nodePorts.range.last} is taken`
  return { refusal: { reason: 'QuotaExceeded', detail }, failures: [new Error(detail)] }
}

/**
 * Returns the source from which the instance must take a node port.
 * @returns undefined if the instance needs no port, already has a port, or the API server chooses the port
 */
function neededNodePorts({ instance, children, ports }: ContainerPass): NodePorts | undefined {
  return instance.spec.exposure === 'NodePort' && children.service?.spec?.ports?.[0]?.nodePort === undefined
    ? ports.nodePorts
    : undefined
}

/** Creates the service with a node port of the configured range. Ports of other services are skipped. */
async function makeWithPort(pass: ContainerPass, nodePorts: NodePorts): Promise<void> {
  const { instance } = pass
  const { uid } = instance.metadata
  for (let port = nodePorts.take(uid); port !== undefined; port = nodePorts.take(uid)) {
    try {
      await apply(pass, desiredService(instance, port))
      return nodePorts.settle(port)
    } catch (error) {
      if (!isNodePortTakenError(error)) {
        nodePorts.settle(port)
        throw error
      }
      nodePorts.avoid(port)
    }
  }
  throw new Error(`No node port from ${nodePorts.range.first} to ${nodePorts.range.last} was free`)
}

function apply({ ports: { client, caches } }: ContainerPass, service: DesiredObject): Promise<void> {
  return applyChild(services, service, { client, cache: caches.services })
}
