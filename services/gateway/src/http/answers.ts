import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ProblemCode } from '@capstan/contract/problems'
import { createProblemResponse as plainProblemAnswer } from '@capstan/contract/server-texts'

/** Complete HTTP response, for a response object or for the bare socket of an upgrade request. */
export type Answer = Readonly<{
  status: number
  headers: Readonly<Record<string, string>>
  body: string
}>

export const noContent: Answer = { status: 204, headers: { 'cache-control': 'no-store' }, body: '' }

export function createJsonResponse(status: number, body: object): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
    body: JSON.stringify(body),
  }
}

/**
 * Returns an error response with the body `{ title, status, code, requestId }` (contract ErrorMessage). The title is in the
 * language that the header Accept-Language prefers.
 */
export function createProblemHttpResponse(
  code: ProblemCode,
  request: Pick<IncomingMessage, 'headers'>,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const problem = plainProblemAnswer(code, request.headers['accept-language'])
  const answer = createJsonResponse(problem.status, { ...problem.body, requestId: randomUUID() })
  return { ...answer, headers: { ...answer.headers, ...problem.headers, ...headers } }
}

const always = { 'x-content-type-options': 'nosniff' }

export function sendHttpResponse(response: ServerResponse, answer: Answer): void {
  const length = answer.status === 204 ? {} : { 'content-length': String(Buffer.byteLength(answer.body)) }
  response.writeHead(answer.status, { ...always, ...answer.headers, ...length })
  response.end(answer.body)
}

/** Sends the response to a refused upgrade, and ends the connection. */
export function refuseUpgrade(socket: Duplex, answer: Answer): void {
  const headers = {
    ...always,
    ...answer.headers,
    connection: 'close',
    ...(answer.status === 204 ? {} : { 'content-length': String(Buffer.byteLength(answer.body)) }),
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const text = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}\r\n${lines.join('')}\r\n${answer.body}`
  socket.end(text, () => socket.destroy())
}
