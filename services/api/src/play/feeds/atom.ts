import type { GameNotice } from '@capstan/contract/games'
import { fillPlaceholders, serverTexts } from '@capstan/contract/server-texts'
import { escapeHtml } from '@capstan/http/escape-html'
import { Feed } from 'feed'
import type { GameRow } from '../../games/editing/service.ts'
import type { ListedPost } from '../../games/posts/service.ts'
import type { Site } from './calendar.ts'

/** Time of a feed without entries. It is constant, so that an unchanged feed has the same bytes. */
const noTime = new Date(0)

/** Characters that XML 1.0 does not allow, not even as character references. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression removes control characters
const notInXml = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g

function plain(text: string): string {
  return text.toWellFormed().replaceAll(notInXml, '')
}

/** Returns a text for an element of type `html`, which readers show as HTML. */
function asHtml(text: string): string {
  return escapeHtml(plain(text))
}

type Entry = Readonly<{ id: string; title: string; text: string; link: string; time: Date }>

type Head = Readonly<{ path: string; page: string; title: string }>

/** Writes a feed (RFC 4287). @param entries newest first */
function writeFeed({ origin, language }: Site, { path, page, title }: Head, entries: readonly Entry[]): string {
  const feed = new Feed({
    id: `${origin}${path}`,
    link: `${origin}${page}`,
    title: plain(title),
    copyright: '',
    generator: 'Capstan',
    language,
    updated: entries.reduce((latest, { time }) => (time > latest ? time : latest), noTime),
    feedLinks: { atom: `${origin}${path}` },
  })
  for (const { id, title: heading, text, link, time } of entries)
    feed.addItem({ id, title: asHtml(heading), description: asHtml(text), link, date: time })
  return feed.atom1()
}

export function writePostFeed(posts: readonly ListedPost[], site: Site): string {
  const entries = posts.map(({ id, title, summary, updatedAt }) => {
    const link = `${site.origin}/posts/${id}`
    return { id: link, link, title, text: summary, time: updatedAt }
  })
  return writeFeed(site, { path: '/api/feeds/posts.atom', page: '/', title: site.title }, entries)
}

function noticeText({ type, values }: GameNotice, game: string, { language }: Site): string {
  const { feeds, webhooks } = serverTexts[language]
  const [first = '', second = ''] = values
  if (type === 'Normal') return first
  if (type === 'NewChallenge' || type === 'NewHint') return fillPlaceholders(feeds[type], { challenge: first })
  return fillPlaceholders(webhooks[type], { game, team: first, challenge: second })
}

export function writeNoticeFeed(game: Pick<GameRow, 'id' | 'title'>, notices: readonly GameNotice[], site: Site): string {
  const { feeds } = serverTexts[site.language]
  const page = `/games/${game.id}`
  const entries = notices.map((notice) => {
    const text = noticeText(notice, game.title, site)
    const [title = ''] = text.split('\n', 1)
    return {
      id: `${site.origin}${page}#notice-${notice.id}`,
      link: `${site.origin}${page}`,
      title,
      text,
      time: new Date(notice.time),
    }
  })
  const path = `/api/game/${game.id}/notices.atom`
  return writeFeed(site, { path, page, title: fillPlaceholders(feeds.notices, { game: game.title }) }, entries)
}
