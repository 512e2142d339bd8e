/** Name of the cookie over plain HTTP. The contract lets the server choose the name. */
export const plainCookieName = 'capstan_session'

/**
 * Name of the cookie over HTTPS. Browsers accept this prefix only over HTTPS, for this exact host and all paths (RFC 6265bis). A
 * plain HTTP port or a sibling host can neither replace nor receive the cookie.
 */
const hostCookieName = `__Host-${plainCookieName}`

/**
 * True if clients reach the platform over HTTPS. This determines the name of the cookie.
 * @param publicOrigin configured origin, if any
 * @param protocol protocol of the request, which trusted proxies may report
 */
export function isHttpsSite(publicOrigin: string | undefined, protocol: string): boolean {
  return protocol === 'https' || (publicOrigin !== undefined && new URL(publicOrigin).protocol === 'https:')
}

export function getSessionCookieName(isHttps: boolean): string {
  return isHttps ? hostCookieName : plainCookieName
}

/**
 * Reads the session token. On HTTPS sites, it ignores the cookie without the prefix `__Host-`, because another service on the
 * same host may have set that cookie.
 */
export function readSessionToken(cookies: Readonly<Record<string, string | undefined>>, isHttps: boolean): string | undefined {
  return cookies[hostCookieName] ?? (isHttps ? undefined : cookies[plainCookieName])
}
