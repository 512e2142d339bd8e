import { Worker } from 'node:worker_threads'
import { Problem, type ProblemCode } from '@capstan/contract/problems'
import type { ConvertOptions } from './ctfd-convert.ts'
import type { ImportPlan, PlatformAnswers } from './plan.ts'

/** What the thread is started with. */
export interface ImportThreadData extends ConvertOptions {
  readonly path: string
}

type Asked = { [Name in keyof PlatformAnswers]: { name: Name; given: Parameters<PlatformAnswers[Name]> } }[keyof PlatformAnswers]

/** From the thread. */
export type ImportThreadReport =
  | { readonly kind: 'ask'; readonly asked: Asked }
  | { readonly kind: 'done'; readonly plan: ImportPlan }
  | { readonly kind: 'refused'; readonly code: ProblemCode; readonly detail: string | undefined }

/** To the thread: the answer to what it asked last. */
export interface ImportThreadAnswer {
  readonly answer?: unknown
}

const program = new URL('./import-thread-main.ts', import.meta.url)

/** Tables of a few hundred thousand rows; what needs more is refused, and the api goes on. */
const resourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 }

const maxMs = 240_000

/**
 * Reads an export in a thread of its own, which ends with it: no call waits for its JSON. What it has to know of the platform it asks.
 * @throws Problem `import.unreadable`, `import.too-large` also where it takes more memory or time than there is
 */
export const convertInThread = (data: ImportThreadData, platform: PlatformAnswers): Promise<ImportPlan> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(program, { workerData: data, resourceLimits, name: 'import' })
    const timer = setTimeout(() => finish(() => reject(new Problem('import.too-large', { detail: 'time' }))), maxMs)
    const finish = (settle: () => void): void => {
      clearTimeout(timer)
      settle()
      void worker.terminate()
    }
    const answer = async ({ name, given }: Asked): Promise<unknown> =>
      name === 'findUsers' ? platform.findUsers(...given) : platform.findTakenNames(...given)
    worker.on('message', (report: ImportThreadReport) => {
      if (report.kind === 'done') return finish(() => resolve(report.plan))
      if (report.kind === 'refused') {
        const { code, detail } = report
        return finish(() => reject(new Problem(code, detail === undefined ? {} : { detail })))
      }
      answer(report.asked).then(
        (given) => worker.postMessage({ answer: given } satisfies ImportThreadAnswer),
        (error: unknown) => finish(() => reject(error)),
      )
    })
    worker.on('error', (error: Error & { code?: string }) =>
      finish(() =>
        reject(
          error.code === 'ERR_WORKER_OUT_OF_MEMORY'
            ? new Problem('import.too-large', { detail: 'memory' })
            : new Error('An export could not be read', { cause: error }),
        ),
      ),
    )
    worker.on('exit', (code) => finish(() => reject(new Error(`The thread that reads exports ended with ${code}`))))
  })
