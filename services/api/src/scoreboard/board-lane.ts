import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { boardVersionHeader } from '@capstan/contract/board-version'
import { negotiateLanguage } from '@capstan/contract/languages'
import { refusePhase } from '@capstan/contract/phases'
import { createClientReader } from '@capstan/http/client'
import type { FastifyInstance } from 'fastify'
import { addressCaller, globalRule } from '../http/rate-limiter.ts'
import { readyHead } from '../http/ready-answer.ts'
import { transportSecurityPolicy } from '../plugins/transport-security.ts'
import type { Board } from './board.ts'

const boardPath = /^\/api\/game\/(\d{1,9})\/scoreboard$/i
const route = '/api/game/:id/scoreboard'

/** Neither a session nor a token nor a body: nothing of the request but its path and what it accepts matters. */
const isPlain = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' &&
  headers.cookie === undefined &&
  headers.authorization === undefined &&
  headers['transfer-encoding'] === undefined &&
  headers['content-length'] === undefined

export interface BoardLane {
  /**
   * Takes up a request, if it is one for this lane.
   * @param refuse the long way: answers whoever is over the limit
   * @returns false: nothing has been done with it
   */
  answers(request: IncomingMessage, response: ServerResponse, refuse: RequestListener): boolean
}

/**
 * Answers what most visitors of a running game ask for, again and again, with what it costs to write the bytes: boards that are ready,
 * read by whoever brings neither session nor token. All else, refusals too, takes the long way, which answers the same (ADR 36).
 */
export const createBoardLane = (app: FastifyInstance): BoardLane => {
  const { config, clock, tracer } = app.deps
  // Traces and lines for every request are made on the long way.
  const isOff = tracer !== undefined || app.log.level === 'debug' || app.log.level === 'trace'
  const readClient = createClientReader(config)
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })

  const findOpen = (request: IncomingMessage): Board | undefined => {
    if (isOff || isClosing || !isPlain(request)) return undefined
    const [, gameId] = boardPath.exec(request.url ?? '') ?? []
    const board = gameId === undefined ? undefined : app.scoreboards.ready(Number(gameId))
    return board && !refusePhase('scoreboard', board.times, clock.now()) ? board : undefined
  }

  return {
    answers(request, response, refuse) {
      const board = findOpen(request)
      if (!board) return false
      const { encoding, headers } = readyHead(request.headers, board.answer, 'no-cache')
      const bytes = encoding && board.answer.in(encoding)
      if (bytes instanceof Promise) return false
      const { address, protocol, isLocal } = readClient(request)
      headers['x-content-type-options'] = 'nosniff'
      headers['content-language'] = negotiateLanguage(request.headers['accept-language'])
      headers[boardVersionHeader] = board.version
      if (config.production && protocol === 'https') headers['strict-transport-security'] = transportSecurityPolicy
      if (bytes) headers['content-length'] = String(bytes.length)
      const send = (): void => {
        app.metrics.countAnswer('GET', route, response)
        // Node writes a list in less time than an object.
        response.writeHead(bytes ? 200 : 304, Object.entries(headers).flat()).end(bytes)
      }
      if (!config.rateLimits || isLocal) send()
      else app.rateLimiter.take(`global:${addressCaller(address)}`, globalRule).then(send, () => refuse(request, response))
      return true
    },
  }
}
