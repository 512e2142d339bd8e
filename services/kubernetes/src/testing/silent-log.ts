import type { Log } from '../log.ts'

/** A log that nobody reads. */
export const silentLog: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
