import { serverNow } from '../clock.ts'
import { type EarlyCall, earlyCalls } from './early-loads.ts'

/** Maximum age at which the response of an early call may still be used, in ms. */
const freshMs = 30_000

/**
 * Returns the call to this address that the page sent before its scripts had loaded. Only the first caller of this function gets
 * the call.
 */
export function takeEarlyCall(address: string, now = serverNow()): EarlyCall | undefined {
  const calls = window[earlyCalls]
  const call = calls?.get(address)
  calls?.delete(address)
  return call && now - call.sentAt < freshMs ? call : undefined
}
