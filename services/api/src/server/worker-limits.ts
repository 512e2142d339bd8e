import { setFlagsFromString } from 'node:v8'
import type { ResourceLimits } from 'node:worker_threads'

/**
 * Prepares V8 for a worker thread with these limits, and returns the limits. V8's process-wide flag for the young generation
 * overrides the limit of a thread: a thread with a limit of 4 MB would grow to 16 MB. Changing the flag here is safe, since the
 * main thread has already read it.
 */
export function prepareWorkerLimits(limits: ResourceLimits): ResourceLimits {
  setFlagsFromString('--max-semi-space-size=0')
  return limits
}
