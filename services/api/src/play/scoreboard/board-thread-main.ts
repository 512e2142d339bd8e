// The worker thread that builds boards. `board-thread.ts` starts it, sends it orders, and replaces it after a failure.
import { parentPort, workerData } from 'node:worker_threads'
import { createDatabaseConnection } from '@capstan/db/connection'
import { createDatabaseReader } from '@capstan/db/reader'
import { createBoardMaker } from './board-maker.ts'
import type { ThreadData, ThreadReport, ThreadRequest } from './board-thread.ts'
import type { BoardContent } from './board-writer.ts'

if (!parentPort) throw new Error('This program runs only as a worker thread')
const port = parentPort
const { databaseUrl } = workerData as ThreadData

function report(message: ThreadReport): void {
  port.postMessage(message)
}
/** Sends a board, and transfers its bytes, so that they are not copied. */
function sendMade(made: unknown, contents: readonly (BoardContent | undefined)[]): void {
  const buffers = contents.flatMap((content) => (content ? [content.bytes.buffer] : []))
  port.postMessage({ kind: 'made', made } satisfies ThreadReport, buffers)
}
const log = {
  info: (fields: object, text: string) => report({ kind: 'log', level: 'info', fields, text }),
  warn: (fields: object, text: string) => report({ kind: 'log', level: 'warn', fields, text }),
}
// Do not load the query builder and the schema library here: they would double the memory of the thread.
const { client, close } = createDatabaseConnection(databaseUrl, { maxConnections: 1, log })
const maker = createBoardMaker({ db: { reader: createDatabaseReader(client) } })

port.on('message', (request: ThreadRequest) => {
  if (request.kind === 'close') {
    void close().finally(() => port.close())
    return
  }
  const answer = async (): Promise<void> => {
    if (request.kind === 'makePast') {
      const made = await maker.makePast(request.order)
      sendMade(made, [made])
    } else {
      const made = await maker.make(request.order)
      sendMade(made, [made?.live.content, made?.frozen?.content])
    }
  }
  answer().catch((error: unknown) => report({ kind: 'failed', error }))
})
