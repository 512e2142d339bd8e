import { Type } from 'typebox'
import { Id } from '../kit.ts'
import { Limits, notNegative } from '../limits.ts'
import { operation } from '../operation.ts'

/** Calls for calendars, feed readers and other websites. Rules: docs/contract/feeds.md. */
export const feedOperations = {
  getGameCalendar: operation({
    tag: 'Info',
    method: 'GET',
    path: '/api/feeds/games.ics',
    access: 'anonymous',
    summary: 'Public games as a calendar (RFC 5545)',
    download: 'text/calendar',
    errors: [429, 500],
  }),
  getPostFeed: operation({
    tag: 'Info',
    method: 'GET',
    path: '/api/feeds/posts.atom',
    access: 'anonymous',
    summary: 'Latest posts as an Atom feed (RFC 4287)',
    download: 'application/atom+xml',
    errors: [429, 500],
  }),
  getNoticeFeed: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/notices.atom',
    access: 'anonymous',
    summary: 'Latest notices of a game as an Atom feed (RFC 4287)',
    params: Type.Object({ id: Id }),
    download: 'application/atom+xml',
    errors: [400, 404, 429, 500],
  }),
  getScoreboardEmbed: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/scoreboard/embed',
    access: 'anonymous',
    summary: 'First teams of a scoreboard as a page without scripts, for frames of other websites',
    params: Type.Object({ id: Id }),
    query: Type.Object({
      count: Type.Optional(
        Type.Integer({
          ...notNegative,
          maximum: Limits.leadingTeams,
          default: Limits.embeddedTeams,
          description: 'Number of teams.',
        }),
      ),
    }),
    download: 'text/html',
    errors: [400, 404, 429, 500],
  }),
  getGameBadge: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/badge.svg',
    access: 'anonymous',
    summary: 'Picture with the phase of a game, or with the rank of a team',
    params: Type.Object({ id: Id }),
    query: Type.Object({ team: Type.Optional(Id) }),
    download: 'image/svg+xml',
    errors: [400, 404, 429, 500],
  }),
} as const
