import { serverNow } from '../clock.ts'
import { type EarlyCall, earlyCalls } from './early-loads.ts'

/** An answer that nobody took for so long is too old, milliseconds. */
const freshMs = 30_000

/** The call that the page made of this address before its scripts had arrived, for whoever makes it first. */
export function takeEarlyCall(address: string, now = serverNow()): EarlyCall | undefined {
  const calls = window[earlyCalls]
  const call = calls?.get(address)
  calls?.delete(address)
  return call && now - call.sentAt < freshMs ? call : undefined
}
