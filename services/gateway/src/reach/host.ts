import { parseInstanceName } from '@capstan/contract/reach'

export type HostOwner =
  | { readonly kind: 'platform' }
  /** The host is a name below the domain of instances. `label` is undefined if no instance can have this name. */
  | Readonly<{ kind: 'instance'; label: string | undefined }>
  /**
   * The host is malformed. The gateway refuses requests for this host, because other programs may parse the host as
   * another name.
   */
  | { readonly kind: 'malformed' }

/**
 * Pattern that matches valid Host headers (RFC 9110, section 7.2), except those with an interface name or with characters that
 * browsers encode.
 */
const hostForm = /^(?:(?!\.)(?!.*\.\.)[a-z0-9_.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/

/** Parses a Host header or a TLS server name. `domain` is the parent domain of the host names of instances. */
export function parseInstanceHost(host: string | undefined, domain: string): HostOwner {
  const text = host?.toLowerCase() ?? ''
  if (!hostForm.test(text)) return { kind: 'malformed' }
  const name = text.replace(/:\d+$/, '')
  // Remove a trailing dot, which makes a name absolute. DNS treats the names with and without the dot as the same
  // host, but browsers do not.
  const isBelow = name.endsWith(`.${domain}`) || name.endsWith(`.${domain}.`)
  if (!isBelow) return { kind: 'platform' }
  const label = name.endsWith('.') ? '' : name.slice(0, -domain.length - 1)
  return { kind: 'instance', label: parseInstanceName(label) === undefined ? undefined : label }
}
