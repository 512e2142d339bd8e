import { readInstanceName } from '@capstan/contract/reach'

/** Whom a host name is for. */
export type HostOwner =
  | { readonly kind: 'platform' }
  /** An instance, or a name below the domain that no instance can have. */
  | { readonly kind: 'instance'; readonly label: string | undefined }
  /** No host: nobody may read another name in it than we do. */
  | { readonly kind: 'malformed' }

/** What a header Host is made of (RFC 9110, section 7.2), without the names of interfaces and characters that browsers encode. */
const hostForm = /^(?:(?!\.)(?!.*\.\.)[a-z0-9_.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/

/** Reads a header Host or a server name of TLS, where instances are below `domain`. */
export function readHost(host: string | undefined, domain: string): HostOwner {
  const text = host?.toLowerCase() ?? ''
  if (!hostForm.test(text)) return { kind: 'malformed' }
  const name = text.replace(/:\d+$/, '')
  // One dot at the end makes a name absolute: the same host by the rules of DNS, and another one to browsers.
  const isBelow = name.endsWith(`.${domain}`) || name.endsWith(`.${domain}.`)
  if (!isBelow) return { kind: 'platform' }
  const label = name.endsWith('.') ? '' : name.slice(0, -domain.length - 1)
  return { kind: 'instance', label: readInstanceName(label) === undefined ? undefined : label }
}
