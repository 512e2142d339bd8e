import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { Problem } from '@capstan/contract/problems'
import type { ReadingAnswer, ReadingData, ReadingReport } from './reading-thread.ts'
import { UnfitArchive } from './unfit-archive.ts'
import { type Archive, openArchive } from './zip-archive.ts'

/**
 * Sends a query from the worker thread to the main thread. The caller must wait for the result before it sends the next query.
 */
export type Ask = (name: string, given: readonly unknown[]) => Promise<unknown>

/** Runs in a worker thread that `readArchiveInThread` started: opens the archive, reads the archive, and reports the result. */
export async function runArchiveReader<Given>(
  read: (archive: Archive, given: Given, ask: Ask) => unknown | Promise<unknown>,
): Promise<void> {
  const port = parentPort
  if (!port) throw new Error('This program runs only as a worker thread')
  const { descriptor, given } = workerData as ReadingData
  const report = (message: ReadingReport): void => port.postMessage(message)
  const ask: Ask = async (name, asked) => {
    const answered = once(port, 'message') as Promise<[ReadingAnswer]>
    report({ kind: 'ask', name, given: asked })
    const [{ answer }] = await answered
    return answer
  }
  try {
    report({ kind: 'read', result: await read(await openArchive(descriptor), given as Given, ask) })
  } catch (cause) {
    if (cause instanceof Problem) report({ kind: 'problem', code: cause.code, details: cause.details })
    else if (cause instanceof UnfitArchive) report({ kind: 'unfit', why: cause.message })
    else throw cause
  }
  port.close()
}
