import type { IncomingMessage } from 'node:http'
import { type ClientReaderOptions, createClientReader } from '@capstan/http/client'

/**
 * Creates the reader of a client's address (ADR 12).
 * @throws Error if `trustedProxies` has an invalid entry
 */
export function createClientAddress(options: ClientReaderOptions): (request: IncomingMessage) => string {
  const readClient = createClientReader(options)
  return (request) => readClient(request).address
}
