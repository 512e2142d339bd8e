import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { keyHeader, openingPath } from '@capstan/contract/reach'
import type { Answer } from '../http/answers.ts'
import { pageAnswer } from './pages.ts'

/**
 * Keeps strangers out of an instance: whoever comes has to bring its key, as a link once and as a cookie from then on, or as a header.
 * The instance sees neither, and the platform's own session has no part in it.
 */

/** Over HTTPS of a prefix with which neither a sibling of the host nor plain HTTP can put another one in its place (RFC 6265bis). */
const cookieName = (protocol: 'http' | 'https'): string => `${protocol === 'https' ? '__Host-' : ''}capstan_key`

export const isKeyCookie = (pair: string): boolean => /^\s*(?:__Host-)?capstan_key\s*=/.test(pair)

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

const isKey = (given: string, key: string): boolean => timingSafeEqual(digest(given), digest(key))

/** More than one of a name: whoever put them there, one of them may be right. */
const cookiesOf = (header: string, name: string): string[] =>
  header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
    .slice(0, 8)

const keysIn = (headers: IncomingMessage['headers'], protocol: 'http' | 'https'): string[] => {
  const { [keyHeader]: header } = headers
  return [...(typeof header === 'string' ? [header] : []), ...cookiesOf(headers.cookie ?? '', cookieName(protocol))]
}

/** Undefined: it may pass. Else what it is answered. */
export function guardAnswer(request: IncomingMessage, key: string, protocol: 'http' | 'https'): Answer | undefined {
  const { url = '', headers } = request
  const path = url.split('?', 1)[0]
  if (path === openingPath) {
    const given = new URLSearchParams(url.slice(path.length)).get('key') ?? ''
    return isKey(given.trim(), key) ? opened(key, protocol) : pageAnswer('guarded', request)
  }
  return holdsKey(headers, key, protocol) ? undefined : pageAnswer('guarded', request)
}

/** Whether a request may open a connection to the instance, or asks to be let in. */
export const holdsKey = (headers: IncomingMessage['headers'], key: string, protocol: 'http' | 'https'): boolean =>
  keysIn(headers, protocol).some((given) => isKey(given, key))

/** The same for requests that bring the same keys. */
export const keysName = (headers: IncomingMessage['headers'], protocol: 'http' | 'https'): string => {
  const keys = keysIn(headers, protocol)
  return keys.length === 0 ? 'none' : digest(keys.join('\n')).toString('base64url')
}

const opened = (key: string, protocol: 'http' | 'https'): Answer => ({
  status: 303,
  headers: {
    location: '/',
    'set-cookie': `${cookieName(protocol)}=${key}; Path=/; HttpOnly; SameSite=Lax${protocol === 'https' ? '; Secure' : ''}`,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  },
  body: '',
})
