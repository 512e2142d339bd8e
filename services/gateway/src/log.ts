import type { BusLogger } from '@capstan/bus/message-bus'

/** Part of a pino (or Fastify) logger that the gateway needs. */
export interface GatewayLogger extends BusLogger {
  debug(fields: object, text: string): void
}
