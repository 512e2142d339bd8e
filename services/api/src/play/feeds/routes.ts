import { Limits, PageLimits } from '@capstan/contract/limits'
import type { Operation } from '@capstan/contract/operation'
import { ownOperations } from '@capstan/contract/operations'
import { gamePhaseOf, refuseOutsidePhase } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { type GameRow, getGame, listGamesForIndexPage, timesOfGame } from '../../games/editing/service.ts'
import { listNotices } from '../../games/notices/service.ts'
import { listLatestPosts } from '../../games/posts/service.ts'
import { matchesEtag, weakEtagOf } from '../../server/http/etag.ts'
import { getLinkOrigin } from '../../server/http/request-origin.ts'
import { readSettings } from '../../server/settings/service.ts'
import { writeNoticeFeed, writePostFeed } from './atom.ts'
import { createGameCalendars, type Site } from './calendar.ts'
import { type Standing, writeBadgeSvg, writeEmbeddableStandings } from './standing.ts'

/** Content security policy of a page that any website may show in a frame. */
const framedPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors *"

/** Content security policy of a picture, for browsers that open it as a page. */
const picturePolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/** Calendars, feeds, and parts of the scoreboard for other websites. Rules: docs/contract/feeds.md. */
export const feedRoutes: FastifyPluginAsync = async (app) => {
  const { config, clock } = app.deps
  const originOf = (request: FastifyRequest) => getLinkOrigin(config.publicOrigin, request)
  const siteOf = async (request: FastifyRequest): Promise<Site> => {
    const { globalConfig } = await readSettings(app.deps)
    return { title: globalConfig.title, origin: originOf(request), language: request.language }
  }
  const send = (request: FastifyRequest, reply: FastifyReply, { download = '' }: Operation, text: string) => {
    const etag = weakEtagOf(text)
    reply.headers({ etag, 'cache-control': 'no-cache' })
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.status(304).send()
    return reply.type(`${download}; charset=utf-8`).send(text)
  }
  const standingOf = async (game: GameRow, request: FastifyRequest): Promise<Standing> => {
    const now = clock.now()
    const isOpen = refuseOutsidePhase('scoreboard', timesOfGame(game), now) === undefined
    const board = isOpen ? await app.scoreboards.read(game.id, 'public') : undefined
    return { game: game.title, phase: gamePhaseOf(timesOfGame(game), now), board, language: request.language }
  }

  const readCalendar = createGameCalendars()
  app.operation(ownOperations.getGameCalendar, async ({ request, reply }) => {
    const calendar = await readCalendar(await listGamesForIndexPage(app.deps), await siteOf(request))
    return send(request, reply, ownOperations.getGameCalendar, calendar)
  })

  app.operation(ownOperations.getPostFeed, async ({ request, reply }) => {
    const feed = writePostFeed(await listLatestPosts(app.deps), await siteOf(request))
    return send(request, reply, ownOperations.getPostFeed, feed)
  })

  app.operation(ownOperations.getNoticeFeed, async ({ params, request, reply }) => {
    const game = await getGame(app.deps, params.id)
    const refusal = refuseOutsidePhase('notices', timesOfGame(game), clock.now())
    if (refusal) throw new Problem(refusal)
    const notices = await listNotices(app.deps, game, { count: PageLimits.default, skip: 0 })
    return send(request, reply, ownOperations.getNoticeFeed, writeNoticeFeed(game, notices, await siteOf(request)))
  })

  app.operation(ownOperations.getScoreboardEmbed, async ({ params, query, request, reply }) => {
    const game = await getGame(app.deps, params.id)
    const address = `${originOf(request)}/games/${game.id}/scoreboard`
    const page = writeEmbeddableStandings(await standingOf(game, request), query.count ?? Limits.embeddedTeams, address)
    reply.header('content-security-policy', framedPolicy)
    return send(request, reply, ownOperations.getScoreboardEmbed, page)
  })

  app.operation(ownOperations.getGameBadge, async ({ params, query, request, reply }) => {
    const game = await getGame(app.deps, params.id)
    const badge = writeBadgeSvg(await standingOf(game, request), query.team)
    reply.header('content-security-policy', picturePolicy)
    return send(request, reply, ownOperations.getGameBadge, badge)
  })
}
