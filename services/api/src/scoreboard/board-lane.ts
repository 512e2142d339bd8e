import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { boardVersionHeader } from '@capstan/contract/board-version'
import { negotiateLanguage } from '@capstan/contract/languages'
import { HeaderLimits } from '@capstan/contract/limits'
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

/** An answer as it goes out: 304 where there are no bytes. */
interface Reply {
  /** Names and values by turns: Node writes a list in less time than an object. */
  readonly head: string[]
  readonly bytes: Buffer | undefined
}

/** Of one board. Browsers send few different headers; whoever sends many or long ones does not fill the memory. */
const repliesMax = 100

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

  /** @returns undefined: the bytes are being compressed */
  const makeReply = (board: Board, asked: IncomingHttpHeaders, isSecure: boolean): Reply | undefined => {
    const { encoding, headers } = readyHead(asked, board.answer, 'no-cache')
    const bytes = encoding && board.answer.in(encoding)
    if (bytes instanceof Promise) return undefined
    headers['x-content-type-options'] = 'nosniff'
    headers['content-language'] = negotiateLanguage(asked['accept-language'])
    headers[boardVersionHeader] = board.version
    if (isSecure) headers['strict-transport-security'] = transportSecurityPolicy
    if (bytes) headers['content-length'] = String(bytes.length)
    return { head: Object.entries(headers).flat(), bytes }
  }

  const replies = new WeakMap<Board, Map<string, Reply>>()

  /** The same to all who ask for it alike: the head is not written anew for each. */
  const replyTo = (board: Board, asked: IncomingHttpHeaders, isSecure: boolean): Reply | undefined => {
    const key = `${isSecure}\n${asked['accept-encoding']}\n${asked['accept-language']}\n${asked['if-none-match']}`
    let known = replies.get(board)
    const kept = known?.get(key)
    if (kept) return kept
    const made = makeReply(board, asked, isSecure)
    if (!made || key.length > HeaderLimits.acceptEncodingMaxBytes) return made
    if (!known || known.size >= repliesMax) {
      known = new Map()
      replies.set(board, known)
    }
    known.set(key, made)
    return made
  }

  return {
    answers(request, response, refuse) {
      const board = findOpen(request)
      if (!board) return false
      const { address, protocol, isLocal } = readClient(request)
      const reply = replyTo(board, request.headers, config.production && protocol === 'https')
      if (!reply) return false
      const { head, bytes } = reply
      const send = (): void => {
        app.metrics.countAnswer('GET', route, response, () => response.writeHead(bytes ? 200 : 304, head).end(bytes))
      }
      if (!config.rateLimits || isLocal) send()
      else app.rateLimiter.take(`global:${addressCaller(address)}`, globalRule).then(send, () => refuse(request, response))
      return true
    },
  }
}
