import { operations } from '@capstan/contract/operations'
import { addressOf } from '../../lib/http.ts'

export interface TestEntry {
  /** What is copied. */
  readonly address: string
  /** To type into a terminal. */
  readonly command: string
  /** UUID of a container behind the proxy, which a terminal in the page can reach; undefined: reached directly. */
  readonly proxied: string | undefined
}

/**
 * How a test container is reached: 36 characters without a colon are its UUID in proxy mode.
 * @param origin of this site
 */
export function testEntryOf(entry: string, origin: string): TestEntry {
  if (entry.length === 36 && !entry.includes(':')) {
    const path = addressOf(operations.proxyTestContainer, { params: { id: entry } })
    const address = `${origin.replace(/^http/, 'ws')}${path}`
    return { address, command: `websocat -b ${address}`, proxied: entry }
  }
  const colon = entry.lastIndexOf(':')
  const host = entry.slice(0, colon).replace(/^\[(.*)\]$/, '$1')
  return { address: entry, command: `nc ${host} ${entry.slice(colon + 1)}`, proxied: undefined }
}
