import { operations } from '@capstan/contract/operations'
import type { ClientConfig } from '@capstan/contract/settings'
import { deflateSync, inflateSync, strFromU8, strToU8 } from 'fflate'
import type { Cache, State } from 'swr'
import { cacheKey } from './early/early-loads.ts'
import { readTimes } from './stale-reads.ts'

const maxStoredChars = 2_000_000

/**
 * Maximum length of a stored response, in characters of JSON. The page compresses responses when the user leaves it, so a larger
 * response would delay the next page.
 */
const maxAnswerChars = 400_000

/** True for responses that must not stay on a shared computer: data about the user, or data for organizers and monitors only. */
function isPrivate(address: string) {
  return (
    /^\/api\/(edit|admin|account|tokens|canned-answers)\b/.test(address) ||
    /\/(answers|captures|cheatinfo|connections|desk|events|monitor|participations|submissions|survey|tickets)\b/.test(address)
  )
}

/** Compresses a text into a string with one character per byte. */
export function compressToString(text: string): string {
  return strFromU8(deflateSync(strToU8(text)), true)
}

function unpack(text: string): unknown {
  return JSON.parse(strFromU8(inflateSync(strToU8(text, true))))
}

export function loadStoredCache(storage: Pick<Storage, 'getItem'>): Map<string, State> {
  try {
    const stored = storage.getItem(cacheKey)
    if (!stored) return new Map()
    const entries = unpack(stored) as readonly (readonly [string, unknown, number?])[]
    for (const [key, , readAt] of entries) if (readAt !== undefined) readTimes.set(key, readAt)
    return new Map(entries.map(([key, data]) => [key, { data }]))
  } catch {
    return new Map()
  }
}

export function storeCache(storage: Pick<Storage, 'setItem' | 'removeItem'>, cache: ReadonlyMap<string, State>): void {
  const entries = [...cache].flatMap(([key, state]) => {
    if (
      !key.startsWith('/api/') ||
      key === configAddress ||
      isPrivate(key) ||
      state.data === undefined ||
      state.error !== undefined
    )
      return []
    const entry = JSON.stringify([key, state.data, readTimes.get(key)])
    return entry.length <= maxAnswerChars ? [entry] : []
  })
  try {
    const text = compressToString(`[${entries.join()}]`)
    if (text.length <= maxStoredChars) storage.setItem(cacheKey, text)
    else storage.removeItem(cacheKey)
  } catch {
    storage.removeItem(cacheKey)
  }
}

export function clearCacheAndReload(): void {
  discarded = true
  localStorage.removeItem(cacheKey)
  location.reload()
}

let discarded = false

const configAddress = operations.getClientConfig.path

/** Returns the config that the page contains, or undefined if the server did not include it. */
export function findConfigInPage(page: Pick<Document, 'querySelector'>): ClientConfig | undefined {
  const text = page.querySelector('meta[name=config]')?.getAttribute('content')
  return text ? ((JSON.parse(text) as ClientConfig | null) ?? undefined) : undefined
}

/**
 * Returns the cache provider for SWR. The cache starts with the data in the page and in local storage. When the user leaves the
 * page, the cache is stored.
 */
export function createPersistentCache(): Cache {
  const cache = loadStoredCache(localStorage)
  const config = findConfigInPage(document)
  if (config) cache.set(configAddress, { data: config })
  addEventListener('pagehide', () => {
    if (!discarded) storeCache(localStorage, cache)
  })
  return cache as Cache
}
