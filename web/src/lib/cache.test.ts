import type { Operation } from '@capstan/contract/operation'
// Import the contract's operations, because the browser's copy does not contain the access rules.
import { adminOperations } from '@capstan/contract/operations/admin'
import { editOperations } from '@capstan/contract/operations/edit'
import { gameOperations } from '@capstan/contract/operations/game'
import { ownOperations } from '@capstan/contract/operations/own'
import { describe, expect, it } from 'vitest'
import { compressToString, findConfigInPage, loadStoredCache, storeCache } from './cache.ts'
import { cacheKey } from './early/early-loads.ts'
import { readTimes } from './stale-reads.ts'

function storage(initial: Record<string, string> = {}) {
  const entries = new Map(Object.entries(initial))
  return {
    entries,
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, value: string) => void entries.set(key, value),
    removeItem: (key: string) => void entries.delete(key),
  }
}

describe('the config that the page contains', () => {
  const page = (json: string) => {
    const made = new DOMParser().parseFromString('<meta name="config">', 'text/html')
    made.querySelector('meta')?.setAttribute('content', json)
    return made
  }

  it('the config is read from the page if the server included it', () => {
    expect(findConfigInPage(page('{"title":"Harbour & Co"}'))).toEqual({ title: 'Harbour & Co' })
  })

  it('the config is undefined if the server did not include it in the page', () => {
    expect(findConfigInPage(page('null'))).toBeUndefined()
    expect(findConfigInPage(new DOMParser().parseFromString('<p>', 'text/html'))).toBeUndefined()
  })

  it('the config is not stored for the next visit, because the next page contains it', () => {
    const store = storage()
    storeCache(store, new Map([['/api/config', { data: { title: 'Old' } }]]))
    expect(loadStoredCache(store).size).toBe(0)
  })
})

describe('the cache in local storage', () => {
  it('the cache restores the responses of the previous visit', () => {
    const store = storage()
    const games = [{ id: 1, title: 'Häfen & Lichter 🔦' }]
    storeCache(store, new Map([['/api/game', { data: games }]]))
    expect(loadStoredCache(store)).toEqual(new Map([['/api/game', { data: games }]]))
  })

  it('the cache stores the time of each response', () => {
    const store = storage()
    readTimes.set('/api/game', 1_000)
    storeCache(store, new Map([['/api/game', { data: [] }]]))
    readTimes.clear()
    loadStoredCache(store)
    expect([...readTimes]).toEqual([['/api/game', 1_000]])
  })

  it('the stored cache is compressed', () => {
    const store = storage()
    const data = Array.from({ length: 500 }, () => ({ title: 'the same title again and again' }))
    storeCache(store, new Map([['/api/game', { data }]]))
    expect(store.entries.get(cacheKey)?.length).toBeLessThan(JSON.stringify(data).length / 10)
  })

  it.each([
    '/api/edit/games/1',
    '/api/admin/users',
    '/api/account/profile',
    '/api/tokens',
    '/api/game/captures/3',
    '/api/game/games/1/captures/health',
    '/api/game/games/1/connections?count=100',
    '/api/game/1/cheatinfo',
    '/api/game/1/desk',
    '/api/game/1/events?count=100',
    '/api/game/1/answers',
    '/api/game/1/survey',
    '/api/game/1/tickets?count=50',
    '/api/game/1/participations',
    '/api/game/1/submissions?count=100',
  ])('the cache never stores %s', (address) => {
    const store = storage()
    storeCache(store, new Map([[address, { data: 'secret' }]]))
    expect(loadStoredCache(store).size).toBe(0)
  })

  it('the cache never stores the responses of calls for organizers or monitors', () => {
    const isReserved = ({ method, access, response }: Operation) =>
      method === 'GET' && response !== undefined && (access === 'admin' || access === 'monitor')
    const calls = [adminOperations, editOperations, gameOperations, ownOperations].flatMap<Operation>(Object.values)
    const addresses = calls.filter(isReserved).map(({ path }) => path.replaceAll(/\{\w+\}/g, '7'))
    expect(addresses.length).toBeGreaterThan(40)
    const store = storage()
    storeCache(store, new Map(addresses.map((address) => [address, { data: 'secret' }])))
    expect([...loadStoredCache(store).keys()]).toEqual([])
  })

  it('the cache stores no errors', () => {
    const store = storage()
    storeCache(store, new Map([['/api/game', { data: [], error: new Error('gone') }]]))
    expect(loadStoredCache(store).size).toBe(0)
  })

  it.each(['not deflated', compressToString('{"not":"entries"}')])('the cache is empty if the stored data is damaged', (text) => {
    expect(loadStoredCache(storage({ [cacheKey]: text })).size).toBe(0)
  })

  it('the cache omits a very large response, but stores all other responses', () => {
    const store = storage()
    storeCache(
      store,
      new Map<string, { data: unknown }>([
        ['/api/game/1/scoreboard', { data: 'x'.repeat(400_000) }],
        ['/api/game', { data: [] }],
      ]),
    )
    expect([...loadStoredCache(store).keys()]).toEqual(['/api/game'])
  })

  it('the cache is dropped if it would grow too large', () => {
    const store = storage({ [cacheKey]: 'old' })
    const noise = Array.from({ length: 30_000 }, (_, index) => (index * 2_654_435_761) % 4_294_967_296)
    storeCache(
      store,
      new Map(
        Array.from({ length: 40 }, (_, game) => [
          `/api/game/${game}`,
          { data: noise.map((part) => (part * (game + 7)) % 4_294_967_291) },
        ]),
      ),
    )
    expect(store.entries.has(cacheKey)).toBe(false)
  })
})
