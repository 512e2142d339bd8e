import { setFlagsFromString } from 'node:v8'
import type { ResourceLimits } from 'node:worker_threads'

/**
 * Limits for a worker thread that is about to be started. V8 puts the process' flag for young generations above those of a thread, so
 * that a thread with 4 MB would grow to the 16 MB of the main one; that one has read the flag when it started, and keeps to it.
 */
export function workerLimits(limits: ResourceLimits): ResourceLimits {
  setFlagsFromString('--max-semi-space-size=0')
  return limits
}
