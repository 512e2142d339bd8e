import { buildApp } from '@capstan/api/app'
import { createProcessRuntime } from '@capstan/api/instances/lifecycle/process-runtime'
import { createPasswords } from '@capstan/api/people/accounts/password'
import { readConfig } from '@capstan/api/server/config'
import { createBlobStore } from '@capstan/api/server/files/create-blob-store'
import { createImageConverter } from '@capstan/api/server/files/images'
import { systemClock } from '@capstan/api/server/http/clock'
import { createInProcessBus } from '@capstan/bus/in-process-bus'
import { createDatabase, type StatementCounter } from '@capstan/db/client'
import { internalToken } from './api-process.ts'
import type { Bench } from './bench.ts'
import type { LoadRequest } from './load/order.ts'
import { median } from './statistics.ts'

export type StatementCount = Readonly<{
  /** Of the most expensive requests. */
  most: number
  /** Spread, for a note. */
  text: string
  faults: readonly string[]
}>

/**
 * Statements that each request sends, `begin` and `commit` among them: the same app in this process, one request at a time, on a
 * connection that counts. Background work (the scoreboard's version is compared once a second) falls into a request now and then,
 * so a number counts only when two requests have it.
 * @param before sent first: what players have done before, so that what is kept of them in memory is there
 */
export async function countStatements(
  bench: Bench,
  requests: readonly LoadRequest[],
  before: readonly LoadRequest[],
): Promise<StatementCount> {
  const { url } = await bench.database()
  const counter: StatementCounter = { statements: 0 }
  const database = createDatabase(url, { maxConnections: 4, counter })
  const config = readConfig({
    DATABASE_URL: url,
    CAPSTAN_RATE_LIMITS: 'off',
    CAPSTAN_SECRET_KEY: bench.secretKey,
    CAPSTAN_INTERNAL_TOKEN: internalToken,
  })
  const bus = createInProcessBus()
  const runtime = createProcessRuntime({ clock: systemClock, images: [] })
  const images = createImageConverter({ log: { warn: () => {} } })
  const app = await buildApp({
    config,
    db: database.db,
    bus,
    clock: systemClock,
    blobs: await createBlobStore(config.blobs),
    images,
    passwords: createPasswords(),
    runtime,
    mailer: { isConfigured: false, send: async () => {}, close: () => {} },
    platformLog: { write: () => {}, flush: async () => {}, close: async () => {} },
  })
  const faults: string[] = []
  const send = async ({ method, path, headers = {}, body }: LoadRequest): Promise<number> => {
    const sentBefore = counter.statements
    const { statusCode } = await app.inject({
      method,
      url: path,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { payload: body }),
    })
    const sent = counter.statements - sentBefore
    if (statusCode !== 200) faults.push(`${method} ${path} answered ${statusCode} while its statements were counted`)
    return sent
  }
  try {
    await app.ready()
    // Connections and the first scoreboard, too.
    for (const request of before) await send(request)
    const counts: number[] = []
    for (const request of requests) counts.push(await send(request))
    const repeated = counts.filter((count) => counts.indexOf(count) !== counts.lastIndexOf(count))
    const least = Math.min(...repeated)
    const most = Math.max(...repeated)
    return { most, text: `${least} to ${most} a request, median ${median(counts)}`, faults }
  } finally {
    await app.close()
    await images.close()
    await bus.close()
    await runtime.close()
    await database.close()
  }
}
