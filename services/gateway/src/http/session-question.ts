import type { IncomingMessage } from 'node:http'
import type { SessionQuestion } from '@capstan/contract/gateway-backend'
import { type ClientReaderOptions, createClientReader } from '@capstan/http/client'

/** Undefined: the client brought no cookie, and is nobody. */
export type ReadSession = (request: IncomingMessage) => SessionQuestion | undefined

/** Makes the reader of what may be a client's session, with the protocol by which it came (ADR 12). */
export function createReadSession(options: ClientReaderOptions): ReadSession {
  const readClient = createClientReader(options)
  return (request) => {
    const { cookie } = request.headers
    return cookie === undefined ? undefined : { cookie, protocol: readClient(request).protocol }
  }
}
