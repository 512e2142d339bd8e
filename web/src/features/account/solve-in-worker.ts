import type { PowChallenge } from '@capstan/contract/accounts'

/** Solves a proof of work in a worker, so that the page remains responsive. */
export async function solveInWorker(challenge: PowChallenge): Promise<string> {
  const worker = new Worker(new URL('./proof-of-work-worker.ts', import.meta.url), { type: 'module' })
  try {
    return await new Promise<string>((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<string>) => resolve(data)
      worker.onerror = reject
      worker.postMessage(challenge)
    })
  } finally {
    worker.terminate()
  }
}
