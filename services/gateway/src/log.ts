import type { BusLogger } from '@capstan/bus/message-bus'

/** Methods of a pino or Fastify logger that the gateway uses. */
export interface GatewayLogger extends BusLogger {
  debug(fields: object, text: string): void
}
