import { Worker } from 'node:worker_threads'
import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import { createFairQueue, type QueueCaller, type TaskOptions } from '../../../server/fair-queue.ts'
import { prepareWorkerLimits } from '../../../server/worker-limits.ts'
import type { CertificatePage } from './page.ts'

export type DrawingRequest = Readonly<{ page: CertificatePage }>

export type DrawingReport = Readonly<{ pdf: Uint8Array }> | Readonly<{ error: unknown }>

export type CertificateThread = Readonly<{
  /**
   * Draws a certificate. Callers take turns, so many certificates of one caller do not delay the other callers.
   * @throws Problem `request.rate-limited` if too many certificates wait, or if this certificate has waited too long. A patient
   * certificate is never refused
   */
  draw(page: CertificatePage, caller: QueueCaller, options?: TaskOptions): Promise<Uint8Array>
  close(): Promise<void>
}>

const program = new URL('./thread-main.ts', import.meta.url)
const timeoutMs = 60_000
/** Time in ms after which an idle thread ends, because its fonts take up to 20 MB. */
const idleMs = 60_000
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8 }

/**
 * Draws certificates one at a time in a worker thread, because a certificate would block the main thread for too long. The first
 * certificate starts the thread. If the thread fails or hangs, only the current certificate fails. ADR 62.
 */
export function createCertificateThread(): CertificateThread {
  const inTurn = createFairQueue({
    running: 1,
    maxWaiting: Limits.maxWaitingCertificates,
    maxWaitMs: Limits.maxCertificateWaitSeconds * 1000,
    refuse: () => new Problem('request.rate-limited', { retryAfterSeconds: Limits.maxCertificateWaitSeconds }),
  })
  let current: Worker | undefined
  let idleTimer: NodeJS.Timeout | undefined

  const end = async (worker: Worker): Promise<void> => {
    if (current === worker) current = undefined
    await worker.terminate()
  }

  const start = (): Worker => {
    const worker = new Worker(program, { resourceLimits: prepareWorkerLimits(resourceLimits), name: 'certificates' })
    worker.once('exit', () => {
      if (current === worker) current = undefined
    })
    // An idle thread may fail, too. Without a listener, the error of the thread would end the process. The thread exits after
    // each error.
    worker.on('error', () => {})
    worker.unref()
    current = worker
    return worker
  }

  const drawNow = async (page: CertificatePage): Promise<Uint8Array> => {
    clearTimeout(idleTimer)
    const worker = current ?? start()
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
    const onMessage = (report: DrawingReport) =>
      'pdf' in report ? resolve(report.pdf) : reject(new Error('Could not draw a certificate', { cause: report.error }))
    const onError = (cause: unknown) => reject(new Error('The certificate thread failed', { cause }))
    const onExit = () => reject(new Error('The certificate thread exited'))
    worker.once('message', onMessage).once('error', onError).once('exit', onExit)
    const timer = setTimeout(() => void end(worker), timeoutMs)
    worker.postMessage({ page } satisfies DrawingRequest)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      idleTimer = setTimeout(() => void end(worker), idleMs).unref()
    }
  }

  return {
    draw: (page, caller, options) => inTurn(caller, () => drawNow(page), options),
    async close() {
      clearTimeout(idleTimer)
      if (current) await end(current)
    },
  }
}
