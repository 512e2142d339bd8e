import { setTimeout as sleep } from 'node:timers/promises'

/** Waits at most `ms` for a promise. @returns its value, or undefined if the promise takes longer */
export async function waitUpToMs<Value>(ms: number, promise: Promise<Value>): Promise<Value | undefined> {
  const settled = new AbortController()
  const tooLong = sleep(ms, undefined, { ref: false, signal: settled.signal }).catch(() => undefined)
  return Promise.race([promise, tooLong]).finally(() => settled.abort())
}
