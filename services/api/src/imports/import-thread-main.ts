// The thread that reads an export: `import-thread.ts` starts it and answers what it asks, one question after the other.
import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { Problem } from '@capstan/contract/problems'
import { convertCtfd } from './ctfd-convert.ts'
import { openExport } from './export-archive.ts'
import type { ImportThreadAnswer, ImportThreadData, ImportThreadReport } from './import-thread.ts'
import type { PlatformAnswers } from './plan.ts'

const port = parentPort
if (!port) throw new Error('This program is a thread of another')
const { path, ...options } = workerData as ImportThreadData

const report = (told: ImportThreadReport): void => port.postMessage(told)

const ask = async <Name extends keyof PlatformAnswers>(
  name: Name,
  given: Parameters<PlatformAnswers[Name]>,
): Promise<Awaited<ReturnType<PlatformAnswers[Name]>>> => {
  const answered = once(port, 'message') as Promise<[ImportThreadAnswer]>
  report({ kind: 'ask', asked: { name, given } } as ImportThreadReport)
  const [{ answer }] = await answered
  return answer as Awaited<ReturnType<PlatformAnswers[Name]>>
}

const platform: PlatformAnswers = {
  findUsers: (emails) => ask('findUsers', [emails]),
  findTakenNames: (kind, keys) => ask('findTakenNames', [kind, keys]),
}

const run = async (): Promise<void> => {
  const archive = await openExport(path)
  try {
    report({ kind: 'done', plan: await convertCtfd(archive, platform, options) })
  } finally {
    archive.close()
  }
}

await run().catch((error: unknown) => {
  if (!(error instanceof Problem)) throw error
  report({ kind: 'refused', code: error.code, detail: error.details.detail })
})
