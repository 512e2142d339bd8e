import { ownOperations } from '@capstan/contract/operations'

/** Pages of the web client for mailed links. Rules: docs/contract/sessions-and-accounts.md#mailed-links. */
const linkPaths = {
  activation: '/account/verify',
  reset: '/account/reset',
  'address-change': '/account/confirm',
} as const

export type LinkPurpose = keyof typeof linkPaths

function encode(text: string): string {
  return encodeURIComponent(Buffer.from(text, 'utf8').toString('base64'))
}

/**
 * Returns `{origin}{path}?token={t}&email={e}`. Both values are Base64 of the UTF-8 text, percent-encoded.
 * @param origin scheme and host, for example `https://ctf.example.org`
 */
export function createMailLink(origin: string, purpose: LinkPurpose, token: string, email: string): string {
  return `${origin}${linkPaths[purpose]}?token=${encode(token)}&email=${encode(email)}`
}

/** Returns the path of the page on which users unsubscribe from mails of games. */
export function pathOfUnsubscribePage(token: string): string {
  return `/account/unsubscribe?token=${encodeURIComponent(token)}`
}

/** Returns two addresses that unsubscribe from mails of games: a page for users, and a call for mail clients. */
export function createUnsubscribeLinks(origin: string, token: string): { page: string; call: string } {
  const query = `?token=${encodeURIComponent(token)}`
  return { page: `${origin}${pathOfUnsubscribePage(token)}`, call: `${origin}${ownOperations.unsubscribe.path}${query}` }
}

/**
 * Decodes a value from a client. A blank counts as `+`, because some clients decode `+` to a blank.
 * @returns undefined if the value is not Base64 of UTF-8 text
 */
export function decodeMailLinkValue(value: string): string | undefined {
  const base64 = value.trim().replaceAll(' ', '+')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined
  const text = Buffer.from(base64, 'base64').toString('utf8')
  return text === '' || text.includes('\uFFFD') || text.includes('\u0000') ? undefined : text
}
