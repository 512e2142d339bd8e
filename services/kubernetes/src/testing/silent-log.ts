import type { Log } from '../log.ts'

/** Log that discards everything. */
export const silentLog: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
