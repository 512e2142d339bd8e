import type { IncomingMessage } from 'node:http'
import { type ClientReaderOptions, createClientReader } from '@capstan/http/client'

/**
 * Creates a function that returns the address of a request's client (ADR 12).
 * @throws Error if `trustedProxies` has an invalid entry
 */
export function createClientAddressReader(options: ClientReaderOptions): (request: IncomingMessage) => string {
  const readClient = createClientReader(options)
  return (request) => readClient(request).address
}
