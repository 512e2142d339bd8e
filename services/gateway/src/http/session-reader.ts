import type { IncomingMessage } from 'node:http'
import type { SessionQuestion } from '@capstan/contract/gateway-backend'
import { type ClientReaderOptions, createClientReader } from '@capstan/http/client'

/**
 * Reads the session of a request.
 * @param takesTokens true if the client may send an API token instead of a cookie
 * @returns undefined if the client sent neither cookie nor token
 */
export type ReadSession = (request: IncomingMessage, takesTokens?: boolean) => SessionQuestion | undefined

/** Creates a function that reads the session and the protocol of a request's client (ADR 12). */
export function createSessionReader(options: ClientReaderOptions): ReadSession {
  const readClient = createClientReader(options)
  return (request, takesTokens = false) => {
    const { cookie, authorization } = request.headers
    const token = takesTokens ? authorization : undefined
    if (cookie === undefined && token === undefined) return undefined
    return { cookie: cookie ?? '', protocol: readClient(request).protocol, ...(token !== undefined && { authorization: token }) }
  }
}
