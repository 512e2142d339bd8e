import type { IncomingMessage } from 'node:http'
import type { SessionQuestion } from '@capstan/contract/gateway-backend'
import { type ClientReaderOptions, createClientReader } from '@capstan/http/client'

/**
 * Undefined: the client brought nothing, and is nobody.
 * @param takesTokens whether an API token may stand in for a session
 */
export type ReadSession = (request: IncomingMessage, takesTokens?: boolean) => SessionQuestion | undefined

/** Makes the reader of what may be a client's session, with the protocol by which it came (ADR 12). */
export function createReadSession(options: ClientReaderOptions): ReadSession {
  const readClient = createClientReader(options)
  return (request, takesTokens = false) => {
    const { cookie, authorization } = request.headers
    const token = takesTokens ? authorization : undefined
    if (cookie === undefined && token === undefined) return undefined
    return { cookie: cookie ?? '', protocol: readClient(request).protocol, ...(token !== undefined && { authorization: token }) }
  }
}
