/** Protection that must block an attempt. The report names the protection, so that its reader knows what to repair. */
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
 * `blocked`: the protection works. `escaped`: the attempt succeeded. `broken`: the attempt itself failed, so the
 * protection is unproven. `skipped`: the pod did not make the attempt, because the settings allow the action or there
 * is no target.
 */
export type Outcome = 'blocked' | 'escaped' | 'broken' | 'skipped'

/** Result of one attempt, which is one line of the report. */
export interface Finding {
  title: string
  control: Control
  outcome: Outcome
  detail: string
}

/** Action that a challenge must not be able to perform. */
export interface Attempt {
  title: string
  control: Control
  /**
   * Makes the attempt. If the attempt succeeds, resolves to a description of its result. If the attempt is blocked,
   * rejects with Blocked or with an error whose code is in `blockingCodes`. If the attempt is not made, rejects with
   * Skipped.
   */
  run(): Promise<string>
}

/** Error for a blocked attempt. The message says what blocked it. */
export class Blocked extends Error {}

/** Error that marks an attempt as skipped. The message gives the reason. */
export class Skipped extends Error {}

/** Error codes that show that an attempt was blocked. With any other error code, the attempt itself failed. */
const blockingCodes = new Set([
  ...['EPERM', 'EACCES', 'EROFS', 'ENOENT', 'ENOTDIR', 'ENXIO', 'EIO', 'EINVAL', 'EAGAIN', 'ENOMEM', 'ESRCH', 'EADDRINUSE'],
  ...['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EPIPE'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'EDESTADDRREQ', 'ENOTCONN'],
])

/** Makes an attempt and returns its finding. Never throws. */
export async function runProbeAttempt({ title, control, run }: Attempt): Promise<Finding> {
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
