import { Problem } from '@capstan/contract/problems'
import type { FastifyRequest } from 'fastify'

/**
 * Returns the origin of links: the configured origin, or the origin of the request.
 * @throws Problem `request.invalid` if the `Host` header is invalid (RFC 9112, section 3.2)
 */
export function getLinkOrigin(
  publicOrigin: string | undefined,
  { protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>,
): string {
  const address = URL.parse(publicOrigin ?? `${protocol}://${host}`)
  if (!address) throw new Problem('request.invalid', { detail: 'Host' })
  return address.origin
}
