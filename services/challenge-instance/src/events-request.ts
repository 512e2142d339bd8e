import type { ContainerEvent } from '@capstan/contract/admin'
import { Limits } from '@capstan/contract/limits'
import { type ContainerAddress, containerPath, readContainerPath } from './container-address.ts'

/** Event that the operator sends to the api. */
export type SentEvent = ContainerEvent

/** Maximum number of events of a container, and maximum lengths of their texts. */
export const eventLimits = {
  count: Limits.maxContainerEvents,
  reasonLength: Limits.maxEventReasonLength,
  messageLength: Limits.maxEventMessageLength,
}

/** Returns the path under which the operator serves the events of a container. ADR 73. */
export function eventsRequestPath(address: ContainerAddress): string {
  return containerPath(address, 'events')
}

/** @returns undefined if the address has another form */
export function readEventsRequest(address: string): ContainerAddress | undefined {
  return readContainerPath(new URL(address, 'http://operator').pathname, 'events')
}
