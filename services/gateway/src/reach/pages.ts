import type { IncomingMessage } from 'node:http'
import { negotiateLanguage } from '@capstan/contract/languages'
import { openingPath } from '@capstan/contract/reach'
import { type RoutePage, serverTexts } from '@capstan/contract/server-texts'
import type { Answer } from '../http/answers.ts'

const statusOf: Readonly<Record<RoutePage, number>> = {
  starting: 503,
  ended: 410,
  unknown: 404,
  unanswered: 502,
  crowded: 429,
  unavailable: 503,
  malformed: 400,
  elsewhere: 421,
  bytes: 421,
  guarded: 403,
}

/** Seconds after which a retry may succeed. If the instance is starting, browsers reload the page automatically. */
const retryAfter: Partial<Record<RoutePage, number>> = { starting: 2, unavailable: 5, crowded: 30 }

const style =
  'body{font:1.125rem/1.5 system-ui,sans-serif;max-width:36rem;margin:20vh auto;padding:0 1.5rem;color-scheme:light dark}h1{font-size:1.5rem}form{display:flex;flex-wrap:wrap;gap:.5rem}label{flex-basis:100%}input{flex:1;min-width:12rem}input,button{font:inherit;padding:.5rem .75rem}'

/**
 * Returns the form for the access key. The form uses GET, because the gateway reads no body here. The response to the
 * form is a redirect, which removes the key from the address bar.
 */
function openingForm({ key, open }: Readonly<{ key: string; open: string }>): string {
  return `<form action="${openingPath}"><label for="key">${escaped(key)}</label><input id="key" name="key" type="password" required autofocus autocomplete="off" maxlength="100"><button>${escaped(open)}</button></form>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

/**
 * Returns the response that the gateway sends if the instance cannot respond. The response is in the visitor's
 * language. Browsers get HTML, and programs get plain text.
 */
export function createErrorPageResponse(page: RoutePage, { headers }: Pick<IncomingMessage, 'headers'>): Answer {
  const language = negotiateLanguage(headers['accept-language'])
  const { pages, opening } = serverTexts[language]
  const { title, text } = pages[page]
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
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      'referrer-policy': 'no-referrer',
      ...(wait !== undefined && { 'retry-after': String(wait) }),
      ...(refresh !== undefined && { refresh: String(refresh) }),
    },
    body: isForPeople
      ? `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><style>${style}</style><h1>${escaped(title)}</h1><p>${escaped(text)}</p>${page === 'guarded' ? openingForm(opening) : ''}</html>\n`
      : `${title}\n${text}\n`,
  }
}
