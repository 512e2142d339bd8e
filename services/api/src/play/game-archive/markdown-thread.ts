import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { prepareWorkerLimits } from '../../server/worker-limits.ts'
import { Html } from './html.ts'
import { type FileAddress, findHashesOfStoredFiles, renderAsPlainText } from './markdown.ts'

export type MarkdownRequest = Readonly<{
  source: string
  /** Addresses of the stored files to which the text refers, by hash. */
  addresses: ReadonlyMap<string, string>
}>

export type MarkdownReport = Readonly<{ text: string }>

export type MarkdownThread = Readonly<{
  /**
   * Converts Markdown to safe HTML. Returns a text as it is if the conversion takes too long. The caller must not convert another
   * text before the result arrives.
   */
  render(source: string, fileOf: FileAddress): Promise<Html>
  /** Ends the thread. Afterwards, `render` returns all texts as they are. */
  close(): Promise<void>
}>

const program = new URL('./markdown-thread-main.ts', import.meta.url)
const startTimeoutMs = 30_000
/** Maximum time to convert a text, in ms. A usual text takes a few ms, and the slowest text of the maximum length takes minutes. */
const defaultMaxRenderMs = 2_000
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 4 }

/** Converts Markdown in a worker thread, because a hostile text would block the main thread. The first text starts the thread. */
export function createMarkdownThread(maxRenderMs = defaultMaxRenderMs): MarkdownThread {
  let current: Worker | undefined
  let isClosed = false

  const stop = async (): Promise<void> => {
    const worker = current
    current = undefined
    await worker?.terminate()
  }

  const start = async (): Promise<Worker> => {
    const worker = new Worker(program, { resourceLimits: prepareWorkerLimits(resourceLimits), name: 'markdown' })
    // Without a listener, the error of an idle thread would end the process.
    worker.on('error', () => {})
    worker.unref()
    current = worker
    await once(worker, 'message', { signal: AbortSignal.timeout(startTimeoutMs) })
    return worker
  }

  return {
    async render(source, fileOf) {
      if (isClosed) return renderAsPlainText(source)
      const addresses = new Map<string, string>()
      for (const hash of findHashesOfStoredFiles(source)) {
        const address = fileOf(hash)
        if (address !== undefined) addresses.set(hash, address)
      }
      try {
        const worker = current ?? (await start())
        worker.postMessage({ source, addresses } satisfies MarkdownRequest)
        const [{ text }] = (await once(worker, 'message', { signal: AbortSignal.timeout(maxRenderMs) })) as [MarkdownReport]
        return new Html(text)
      } catch {
        // The text takes too much time or memory.
        await stop()
        return renderAsPlainText(source)
      }
    },
    async close() {
      isClosed = true
      await stop()
    },
  }
}
