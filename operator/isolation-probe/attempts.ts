/** An attempt to escape, and the finding that it results in. */

/** Protection against an attempt. The report prints it, so that its reader knows what to repair. */
export type Control =
  | 'network policy'
  | 'admission policy'
  | 'quota'
  | 'Pod Security'
  | 'names without information'
  | 'capabilities'
  | 'seccomp profile'
  | 'no privilege escalation'
  | 'user of the image'
  | 'own namespaces'
  | 'masked paths'
  | 'no host mounts'
  | 'no token'
  | 'no service links'
  | 'processor limit'
  | 'memory limit'
  | 'storage limit'
  | 'process limit'
  | 'capture sidecar'

/**
 * `blocked`: the attempt failed, as it must. `escaped`: it succeeded. `broken`: the attempt itself did not work, so nothing is
 * known. `skipped`: what it tries is allowed or does not exist here.
 */
export type Outcome = 'blocked' | 'escaped' | 'broken' | 'skipped'

/** Result of one attempt: a line of the report. */
export interface Finding {
  title: string
  control: Control
  outcome: Outcome
  detail: string
}

/** Something a challenge must not be able to do. */
export interface Attempt {
  title: string
  control: Control
  /** Resolves to what was gained. Rejects with Blocked or an error code of the system if it failed, and with Skipped if it was not made. */
  run(): Promise<string>
}

/** The attempt failed. The message says why. */
export class Blocked extends Error {}

/** Error for an attempt at something that is allowed or does not exist here. The message says why. */
export class Skipped extends Error {}

/** Error codes that mean the attempt was blocked. Any other error means that the attempt itself is broken. */
const blockingCodes = new Set([
  ...['EPERM', 'EACCES', 'EROFS', 'ENOENT', 'ENOTDIR', 'ENXIO', 'EIO', 'EINVAL', 'EAGAIN', 'ENOMEM', 'ESRCH', 'EADDRINUSE'],
  ...['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EPIPE'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'EDESTADDRREQ', 'ENOTCONN'],
])

/** Makes an attempt. Never throws. */
export async function runAttempt({ title, control, run }: Attempt): Promise<Finding> {
  const findingOf = (outcome: Outcome, detail: string): Finding => ({ title, control, outcome, detail: detail.slice(0, 200) })
  try {
    return findingOf('escaped', await run())
  } catch (error) {
    if (error instanceof Skipped) return findingOf('skipped', error.message)
    if (error instanceof Blocked) return findingOf('blocked', error.message)
    const { code = '', message } = error as NodeJS.ErrnoException
    return findingOf(blockingCodes.has(code) ? 'blocked' : 'broken', blockingCodes.has(code) ? code : message)
  }
}
