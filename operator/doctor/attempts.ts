/** What is tried, and how an attempt tells how it went. */

/** What protects against an attempt, in words that the one who reads the table can act on. */
export type Control =
  | 'network policy'
  | 'admission policy'
  | 'quota'
  | 'Pod Security'
  | 'names that tell nothing'
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

/** `blocked`: as it must be. `escaped`: it worked. `broken`: it could not be tried, which proves nothing. `skipped`: allowed or absent here. */
export type Outcome = 'blocked' | 'escaped' | 'broken' | 'skipped'

/** One line of the table. */
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
  /** Resolves to what was gained; rejects with Blocked, or a system's refusal, where it did not work. */
  run(): Promise<string>
}

/** It did not work, and the message says why. */
export class Blocked extends Error {}

/** It is allowed here, or what it is about does not exist. */
export class Skipped extends Error {}

/** Words in which a system refuses. Anything else is a defect of the attempt. */
const refusals = new Set([
  ...['EPERM', 'EACCES', 'EROFS', 'ENOENT', 'ENOTDIR', 'ENXIO', 'EIO', 'EINVAL', 'EAGAIN', 'ENOMEM', 'ESRCH', 'EADDRINUSE'],
  ...['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EPIPE'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'EDESTADDRREQ', 'ENOTCONN'],
])

/** Tries one, and never throws. */
export async function tryOut({ title, control, run }: Attempt): Promise<Finding> {
  const told = (outcome: Outcome, detail: string): Finding => ({ title, control, outcome, detail: detail.slice(0, 200) })
  try {
    return told('escaped', await run())
  } catch (error) {
    if (error instanceof Skipped) return told('skipped', error.message)
    if (error instanceof Blocked) return told('blocked', error.message)
    const { code = '', message } = error as NodeJS.ErrnoException
    return told(refusals.has(code) ? 'blocked' : 'broken', refusals.has(code) ? code : message)
  }
}
