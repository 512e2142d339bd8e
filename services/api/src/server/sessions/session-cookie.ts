/** Over plain HTTP, where browsers take no better one. The contract leaves the name to the server. */
export const plainCookieName = 'capstan_session'

/**
 * Over HTTPS. Browsers take a cookie of this prefix only over HTTPS, for this very host and all of its paths (RFC 6265bis):
 * neither another port that speaks plain HTTP nor a sibling of the host can put one in its place, and none of them is sent it.
 */
const hostCookieName = `__Host-${plainCookieName}`

/**
 * Whether people reach the platform over HTTPS, which decides about the cookie wherever sessions are looked at.
 * @param publicOrigin the configured one, if any
 * @param protocol of the request, as far as trusted proxies tell
 */
export function isHttpsSite(publicOrigin: string | undefined, protocol: string): boolean {
  return protocol === 'https' || (publicOrigin !== undefined && new URL(publicOrigin).protocol === 'https:')
}

export function sessionCookieName(isHttps: boolean): string {
  return isHttps ? hostCookieName : plainCookieName
}

/** The token that a client brings. On an HTTPS site the plain name is not looked at: anybody on the same host may have set it. */
export function readSessionToken(cookies: Readonly<Record<string, string | undefined>>, isHttps: boolean): string | undefined {
  return cookies[hostCookieName] ?? (isHttps ? undefined : cookies[plainCookieName])
}
