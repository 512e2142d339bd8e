/**
 * Whether a browser page may open a hub: a page of our own site may, another site's may not; programs send no Origin.
 * @param origin header `Origin`
 * @param host header `Host`, as the client named us
 * @param publicOrigin `https://ctf.example.org` where a proxy in front rewrites `Host`
 */
export function isOwnOrigin(origin: string | undefined, host: string | undefined, publicOrigin: string | undefined): boolean {
  if (origin === undefined) return true
  const page = parse(origin)
  if (page === undefined) return false
  if (publicOrigin !== undefined && page.origin === parse(publicOrigin)?.origin) return true
  // TLS may end in front of us, so only the host is compared; the page's scheme decides which port is the silent one.
  return host !== undefined && page.host === parse(`${page.protocol}//${host}`)?.host
}

function parse(text: string): URL | undefined {
  return URL.parse(text) ?? undefined
}
