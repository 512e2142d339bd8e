import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { boardVersionHeader } from '@capstan/contract/board-version'
import { negotiateLanguage } from '@capstan/contract/languages'
import { HeaderLimits } from '@capstan/contract/limits'
import { refusePhase } from '@capstan/contract/phases'
import { createClientReader } from '@capstan/http/client'
import { headWriter, mayBeWritten, writeAnswer } from '@capstan/http/written-answer'
import type { FastifyInstance } from 'fastify'
import { addressCaller, globalRule } from '../http/rate-limiter.ts'
import { readyHead } from '../http/ready-answer.ts'
import { transportSecurityPolicy } from '../plugins/transport-security.ts'
import type { Board } from './board.ts'

const boardPath = /^\/api\/game\/\d{1,9}\/scoreboard$/i
const gameIdPlace = '/api/game/'.length
const route = '/api/game/:id/scoreboard'

/** Neither a session nor a token nor a body: nothing of the request but its path and what it accepts matters. */
const isPlain = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' &&
  headers.cookie === undefined &&
  headers.authorization === undefined &&
  headers['transfer-encoding'] === undefined &&
  headers['content-length'] === undefined

/** All that an answer depends on besides the board. */
interface Asked {
  readonly encoding: string | undefined
  readonly language: string | undefined
  readonly tag: string | undefined
  readonly isSecure: boolean
}

const isAlike = (one: Asked, other: Asked): boolean =>
  one.encoding === other.encoding && one.language === other.language && one.tag === other.tag && one.isSecure === other.isSecure

const lengthOf = ({ encoding = '', language = '', tag = '' }: Asked): number => encoding.length + language.length + tag.length

/** An answer as it goes out: 304 where there are no bytes. */
interface Reply {
  readonly asked: Asked
  readonly headers: string
  readonly bytes: Buffer | undefined
  /** Of one second, as it names the time. */
  written?: { readonly second: number; readonly head: Buffer }
}

/** Of one board. Browsers send few different headers; whoever sends many or long ones does not fill the memory. */
const repliesMax = 32

export interface BoardLane {
  /**
   * Takes up a request, if it is one for this lane.
   * @param longWay answers whoever is over the limit, and who cannot be answered here any more after waiting for a place
   * @returns false: nothing has been done with it
   */
  answers(request: IncomingMessage, response: ServerResponse, longWay: RequestListener): boolean
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
    const { url = '' } = request
    const board = boardPath.test(url) ? app.scoreboards.ready(Number.parseInt(url.slice(gameIdPlace), 10)) : undefined
    return board && !refusePhase('scoreboard', board.times, clock.now()) ? board : undefined
  }

  /** @returns undefined: the bytes are being compressed */
  const makeReply = (board: Board, headers: IncomingHttpHeaders, asked: Asked): Reply | undefined => {
    const { encoding, headers: head } = readyHead(headers, board.answer, 'no-cache')
    const bytes = encoding && board.answer.in(encoding)
    if (bytes instanceof Promise) return undefined
    head['x-content-type-options'] = 'nosniff'
    head['content-language'] = negotiateLanguage(asked.language)
    head[boardVersionHeader] = board.version
    if (asked.isSecure) head['strict-transport-security'] = transportSecurityPolicy
    if (bytes) head['content-length'] = String(bytes.length)
    const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`)
    return { asked, headers: lines.join(''), bytes }
  }

  const repliesOfBoards = new WeakMap<Board, Reply[]>()

  /** The same to all who ask for it alike: the head is not written anew for each. */
  const replyTo = (board: Board, headers: IncomingHttpHeaders, isSecure: boolean): Reply | undefined => {
    const asked: Asked = {
      encoding: headers['accept-encoding'],
      language: headers['accept-language'],
      tag: headers['if-none-match'],
      isSecure,
    }
    const replies = repliesOfBoards.get(board)
    const known = replies?.find((reply) => isAlike(reply.asked, asked))
    if (known) return known
    const made = makeReply(board, headers, asked)
    if (!made || lengthOf(asked) > HeaderLimits.acceptEncodingMaxBytes) return made
    if (replies && replies.length < repliesMax) replies.push(made)
    else repliesOfBoards.set(board, [made])
    return made
  }

  const writeHead = headWriter(app.server)

  const headOf = (reply: Reply): Buffer => {
    const now = clock.now()
    const second = Math.floor(now.getTime() / 1_000)
    if (reply.written?.second !== second)
      reply.written = { second, head: writeHead(reply.bytes ? '200 OK' : '304 Not Modified', reply.headers, now) }
    return reply.written.head
  }

  const send = (response: ServerResponse, reply: Reply): void => {
    writeAnswer(response, headOf(reply), reply.bytes, (elapsedMs) => {
      app.metrics.observeAnswer('GET', route, reply.bytes ? 200 : 304, elapsedMs)
    })
    if (reply.bytes) app.heldAnswers.holdRest(response, reply.bytes)
  }

  return {
    answers(request, response, longWay) {
      const board = mayBeWritten(response) ? findOpen(request) : undefined
      if (!board) return false
      const { headers } = request
      // Only limits ask who it is, and without a proxy's word it is not HTTPS.
      const client = config.rateLimits || headers['x-forwarded-proto'] !== undefined ? readClient(request) : undefined
      const reply = replyTo(board, headers, config.production && client?.protocol === 'https')
      if (!reply) return false
      const leave = () => longWay(request, response)
      if (!config.rateLimits || !client || client.isLocal) send(response, reply)
      else
        app.rateLimiter
          .take(`global:${addressCaller(client.address)}`, globalRule)
          .then(() => (mayBeWritten(response) ? send(response, reply) : leave()), leave)
      return true
    },
  }
}
