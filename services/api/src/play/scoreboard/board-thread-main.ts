// The worker thread that builds boards. `board-thread.ts` starts it, sends it orders, and replaces it after a failure.
import { parentPort, workerData } from 'node:worker_threads'
import { createConnection } from '@capstan/db/connection'
import { createReader } from '@capstan/db/reader'
import { createBoardMaker } from './board-maker.ts'
import type { ThreadData, ThreadReport, ThreadRequest } from './board-thread.ts'

if (!parentPort) throw new Error('This program runs only as a worker thread')
const port = parentPort
const { databaseUrl } = workerData as ThreadData

function report(message: ThreadReport): void {
  port.postMessage(message)
}
const log = {
  info: (fields: object, text: string) => report({ kind: 'log', level: 'info', fields, text }),
  warn: (fields: object, text: string) => report({ kind: 'log', level: 'warn', fields, text }),
}
// Do not load the query builder and the schema library here: they would double the memory of the thread.
const { client, close } = createConnection(databaseUrl, { maxConnections: 1, log })
const maker = createBoardMaker({ db: { reader: createReader(client) } })

port.on('message', (request: ThreadRequest) => {
  if (request.kind === 'close') {
    void close().finally(() => port.close())
    return
  }
  const { id, order } = request
  maker.make(order).then(
    (made) => {
      const contents = [made?.live.content, made?.frozen?.content].filter((content) => content !== undefined)
      port.postMessage(
        { kind: 'made', id, made } satisfies ThreadReport,
        contents.map(({ bytes }) => bytes.buffer),
      )
    },
    (error: unknown) => report({ kind: 'failed', id, error }),
  )
})
