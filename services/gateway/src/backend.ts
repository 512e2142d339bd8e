import type {
  DoorTarget,
  InstanceDoor,
  ProxyConnectionReport,
  ProxyTarget,
  SessionIdentity,
  SessionQuestion,
} from '@capstan/contract/gateway-backend'

/**
 * What the gateway asks the api; it has no database of its own. Adapters: `http-backend.ts` between processes, and plain functions
 * of the api where both run in one process. A rejected promise means that the api cannot answer now; the client is told to try later.
 */
export interface Backend {
  /** Who is behind these cookies, or this API token, at this moment; null: nobody. Must not be cached: it decides about access. */
  session(question: SessionQuestion): Promise<SessionIdentity>
  gameExists(gameId: number): Promise<boolean>
  /** Where the container of this UUID listens, whether it belongs to a team or is a test. */
  proxyTarget(instanceId: string): Promise<ProxyTarget>
  /** What is behind a label or a port at this moment. */
  door(door: InstanceDoor): Promise<DoorTarget>
  /** Stores rows of proxied connections; idempotent by id, so a report may come again. */
  reportConnections(reports: readonly ProxyConnectionReport[]): Promise<void>
}
