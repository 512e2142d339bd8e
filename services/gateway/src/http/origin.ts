/**
 * True if the request comes from a page of our site, or has no Origin because a program sent it. Pages of other sites may not
 * open hubs.
 * @param origin header `Origin`
 * @param host header `Host` of the client
 * @param publicOrigin `https://ctf.example.org` if a proxy in front rewrites `Host`
 */
export function isOwnOrigin(origin: string | undefined, host: string | undefined, publicOrigin: string | undefined): boolean {
  if (origin === undefined) return true
  const page = parse(origin)
  if (page === undefined) return false
  if (publicOrigin !== undefined && page.origin === parse(publicOrigin)?.origin) return true
  // Compare only host and port. The schemes may differ, because TLS may end at a proxy. The page's scheme determines the default
  // port.
  return host !== undefined && page.host === parse(`${page.protocol}//${host}`)?.host
}

function parse(text: string): URL | undefined {
  return URL.parse(text) ?? undefined
}
