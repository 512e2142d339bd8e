import type { ContainerEvent } from '@capstan/contract/admin'
import { Limits } from '@capstan/contract/limits'
import { type ContainerAddress, parseContainerRequestPath, pathOfContainerRequest } from './container-address.ts'

/** Kubernetes event that the operator returns to the api. */
export type SentEvent = ContainerEvent

/** Limits of a response with events: number of events, and lengths of the texts of an event. */
export const eventLimits = {
  count: Limits.maxContainerEvents,
  reasonLength: Limits.maxEventReasonLength,
  messageLength: Limits.maxEventMessageLength,
}

/** Returns the path at which the operator serves the events of a container. See ADR 73. */
export function pathOfEventsRequest(address: ContainerAddress): string {
  return pathOfContainerRequest(address, 'events')
}

/**
 * Parses the address of a request for the events of a container.
 * @returns undefined if the address is not the address of such a request
 */
export function parseEventsRequest(address: string): ContainerAddress | undefined {
  return parseContainerRequestPath(new URL(address, 'http://operator').pathname, 'events')
}
