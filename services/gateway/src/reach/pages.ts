import type { IncomingMessage } from 'node:http'
import { negotiateLanguage } from '@capstan/contract/languages'
import { type DoorPage, serverTexts } from '@capstan/contract/server-texts'
import type { Answer } from '../http/answers.ts'

const statusOf: Readonly<Record<DoorPage, number>> = {
  starting: 503,
  ended: 410,
  unknown: 404,
  unanswered: 502,
  crowded: 429,
  unavailable: 503,
  malformed: 400,
  elsewhere: 421,
  bytes: 421,
}

/** Seconds after which another try makes sense, and a browser makes it by itself. */
const retryAfter: Partial<Record<DoorPage, number>> = { starting: 2, unavailable: 5, crowded: 30 }

const style =
  'body{font:1.125rem/1.5 system-ui,sans-serif;max-width:36rem;margin:20vh auto;padding:0 1.5rem;color-scheme:light dark}h1{font-size:1.5rem}'

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** What a visitor is told in the place of an instance's answer, in their language: a page for people, a line for programs. */
export function pageAnswer(page: DoorPage, { headers }: Pick<IncomingMessage, 'headers'>): Answer {
  const language = negotiateLanguage(headers['accept-language'])
  const { title, text } = serverTexts[language].pages[page]
  const wait = retryAfter[page]
  const refresh = page === 'starting' ? wait : undefined
  const isForPeople = (headers.accept ?? '').includes('text/html')
  return {
    status: statusOf[page],
    headers: {
      'content-type': `text/${isForPeople ? 'html' : 'plain'}; charset=utf-8`,
      'content-language': language,
      'cache-control': 'no-store',
      vary: 'Accept, Accept-Language',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      ...(wait !== undefined && { 'retry-after': String(wait) }),
      ...(refresh !== undefined && { refresh: String(refresh) }),
    },
    body: isForPeople
      ? `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><style>${style}</style><h1>${escaped(title)}</h1><p>${escaped(text)}</p></html>\n`
      : `${title}\n${text}\n`,
  }
}
