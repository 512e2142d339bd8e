import { parse } from 'tldts'

/**
 * Returns the site of a host as browsers define it: the registrable domain.
 * @returns the full host if there is no registrable domain
 */
function siteOf(host: string): string {
  const { domain, hostname } = parse(host, { allowPrivateDomains: true })
  return domain ?? hostname ?? host
}

/**
 * True if browsers treat the pages of instances and the platform as one site. Requests from those pages then carry the cookies of
 * the platform, and the pages can set cookies for the common domain. Uses the public suffix list with private suffixes.
 * @param domain parent domain of the host names of instances
 */
export function isSameSiteAsPlatform(platformHost: string, domain: string): boolean {
  return siteOf(platformHost) === siteOf(`label.${domain}`)
}
