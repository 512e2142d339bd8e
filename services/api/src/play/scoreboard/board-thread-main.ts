// The thread that builds boards: `board-thread.ts` starts it, talks with it and starts another one when it breaks.
import { parentPort, workerData } from 'node:worker_threads'
import { createConnection } from '@capstan/db/connection'
import { createReader } from '@capstan/db/reader'
import { createBoardMaker } from './board-maker.ts'
import type { ThreadData, ThreadReport, ThreadRequest } from './board-thread.ts'

if (!parentPort) throw new Error('This program is a thread of another')
const port = parentPort
const { databaseUrl } = workerData as ThreadData

function report(told: ThreadReport): void {
  port.postMessage(told)
}
const log = {
  info: (fields: object, text: string) => report({ kind: 'log', level: 'info', fields, text }),
  warn: (fields: object, text: string) => report({ kind: 'log', level: 'warn', fields, text }),
}
// Neither the query builder nor the library of schemas is loaded here: they would take as much memory as all the rest.
const { client, close } = createConnection(databaseUrl, { maxConnections: 1, log })
const maker = createBoardMaker({ db: { reader: createReader(client) } })

port.on('message', (request: ThreadRequest) => {
  if (request.kind === 'close') {
    void close().finally(() => port.close())
    return
  }
  const { id, order } = request
  maker.make(order).then(
    (made) =>
      port.postMessage({ kind: 'made', id, made } satisfies ThreadReport, made?.content ? [made.content.bytes.buffer] : []),
    (error: unknown) => report({ kind: 'failed', id, error }),
  )
})
