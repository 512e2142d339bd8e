import type { ProxyConnectionReport } from '@capstan/contract/gateway-backend'
import { describe, expect, it, vi } from 'vitest'
import { quietLog } from '../testing/test-gateway.ts'
import { ConnectionReports } from './connection-reports.ts'

const waiting = { timeout: 120_000, interval: 5 }

function aReport(id: string, bytesSent = 0): ProxyConnectionReport {
  const instanceId = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee'
  const openedAt = '2026-03-01T10:00:00.000Z'
  return { id, instanceId, clientAddress: '192.0.2.1', userId: null, bytesSent, bytesReceived: 0, openedAt, closedAt: null }
}

/** Creates a fake api that records the batches of rows that it receives. While `isAway` is true, the api rejects batches. */
function anApi() {
  const api = { isAway: false, tries: 0, lost: 0, batches: [] as ProxyConnectionReport[][] }
  const reports = new ConnectionReports({
    backend: {
      async reportConnections(batch) {
        api.tries += 1
        if (api.isAway) throw new Error('away')
        api.batches.push([...batch])
      },
    },
    gatherMs: 5,
    log: quietLog,
    onLost: (count) => {
      api.lost += count
    },
  })
  return { api, reports }
}

describe('rows of connections', () => {
  it('rows of connections are collected, and only the newest state of each row is sent', async () => {
    const { api, reports } = anApi()
    reports.add(aReport('a', 1))
    reports.add(aReport('b', 1))
    reports.add(aReport('a', 2))
    await vi.waitFor(() => expect(api.batches).toEqual([[aReport('a', 2), aReport('b', 1)]]), waiting)
  })

  it('after an outage of the api, the gateway reports only the newest state of a connection', async () => {
    const { api, reports } = anApi()
    api.isAway = true
    reports.add(aReport('a', 1))
    await vi.waitFor(() => expect(api.tries).toBeGreaterThan(1), waiting)
    reports.add(aReport('a', 2))
    api.isAway = false
    await vi.waitFor(() => expect(api.batches).toEqual([[aReport('a', 2)]]), waiting)
  })

  it('a flush sends all pending rows of connections, in batches of at most 500', async () => {
    const { api, reports } = anApi()
    for (let id = 0; id < 1_200; id += 1) reports.add(aReport(String(id)))
    await reports.flush()
    expect(api.batches.map((batch) => batch.length)).toEqual([500, 500, 200])
  })

  it('`flush` ends even if the api is unavailable', async () => {
    const { api, reports } = anApi()
    api.isAway = true
    reports.add(aReport('a'))
    await reports.flush()
    expect(api.batches).toEqual([])
  })

  it('at most 20,000 rows of connections wait, and older rows are dropped and counted', async () => {
    const { api, reports } = anApi()
    for (let id = 0; id < 20_003; id += 1) reports.add(aReport(String(id)))
    expect(api.lost).toBe(3)
    await reports.flush()
    expect(api.batches[0]?.[0]?.id).toBe('3')
  })
})
