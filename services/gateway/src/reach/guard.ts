import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { keyHeader, openingPath } from '@capstan/contract/reach'
import type { Answer } from '../http/answers.ts'
import { createErrorPageResponse } from './pages.ts'

/**
 * Check of the access key of a guarded instance. Visitors send the key in a header, or open a link with the key once, which sets
 * a cookie. The instance receives neither key nor cookie. A session on the platform does not replace the key.
 */

/**
 * Returns the name of the cookie that contains the access key. Over HTTPS the name has a prefix, so that no sibling
 * host and no plain HTTP response can replace the cookie (RFC 6265bis).
 */
function cookieName(protocol: 'http' | 'https'): string {
  return `${protocol === 'https' ? '__Host-' : ''}capstan_key`
}

export function isKeyCookie(pair: string): boolean {
  return /^\s*(?:__Host-)?capstan_key\s*=/.test(pair)
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function isKey(given: string, key: string): boolean {
  return timingSafeEqual(digest(given), digest(key))
}

/**
 * Returns the values of all cookies with this name. A sibling host may have added cookies with the same name but
 * wrong values.
 */
function cookiesOf(header: string, name: string): string[] {
  return header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
    .slice(0, 8)
}

function keysIn(headers: IncomingMessage['headers'], protocol: 'http' | 'https'): string[] {
  const { [keyHeader]: header } = headers
  return [...(typeof header === 'string' ? [header] : []), ...cookiesOf(headers.cookie ?? '', cookieName(protocol))]
}

/** Checks the key of a request. @returns undefined if the request may pass, otherwise the response */
export function checkAccessKey(request: IncomingMessage, key: string, protocol: 'http' | 'https'): Answer | undefined {
  const { url = '', headers } = request
  const path = url.split('?', 1)[0]
  if (path === openingPath) {
    const given = new URLSearchParams(url.slice(path.length)).get('key') ?? ''
    return isKey(given.trim(), key) ? opened(key, protocol) : createErrorPageResponse('guarded', request)
  }
  return hasAccessKey(headers, key, protocol) ? undefined : createErrorPageResponse('guarded', request)
}

/** True if a request contains the key, so that it may open a connection. */
export function hasAccessKey(headers: IncomingMessage['headers'], key: string, protocol: 'http' | 'https'): boolean {
  return keysIn(headers, protocol).some((given) => isKey(given, key))
}

/** Returns a digest of all keys in a request. Requests with equal keys have equal digests. */
export function hashAccessKeys(headers: IncomingMessage['headers'], protocol: 'http' | 'https'): string {
  const keys = keysIn(headers, protocol)
  return keys.length === 0 ? 'none' : digest(keys.join('\n')).toString('base64url')
}

function opened(key: string, protocol: 'http' | 'https'): Answer {
  return {
    status: 303,
    headers: {
      location: '/',
      'set-cookie': `${cookieName(protocol)}=${key}; Path=/; HttpOnly; SameSite=Lax${protocol === 'https' ? '; Secure' : ''}`,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    },
    body: '',
  }
}
