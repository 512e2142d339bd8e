import { parse } from 'tldts'

/** What browsers take for one site, whatever the scheme: the registrable domain, or the whole host where there is none. */
function siteOf(host: string): string {
  const { domain, hostname } = parse(host, { allowPrivateDomains: true })
  return domain ?? hostname ?? host
}

/**
 * Whether the pages of instances are of the same site as the platform to browsers: their requests to it then carry its cookies, and they
 * can set cookies for the name that both are below. By the public suffix list, private suffixes included.
 * @param domain below which instances have their host names
 */
export function sharesSite(platformHost: string, domain: string): boolean {
  return siteOf(platformHost) === siteOf(`label.${domain}`)
}
