import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Job } from '../bench.ts'
import { root } from '../process.ts'
import { createRowWithMaximum, createRowWithMinRatio, kilobytes, megabytes, milliseconds } from '../table.ts'

/**
 * Times in ms until the last client has received a message: from the platform's hub (`ours`), and from a minimal loop over sockets
 * (`limit`).
 */
type Times = Readonly<{ ours: number; limit: number }>
type Fanout = Readonly<{ p50: Times; p99: Times; memoryBytes: number; bytesPerClient: number }>

const clients = 5_000
const minRatio = 0.9
const maxLastMs = 1_000
const maxBaseBytes = 150 * 1024 * 1024
const maxBytesPerClient = 20 * 1024

export const job: Job = {
  name: 'hub',
  about: 'one notice to 5,000 live pages, compared with a bare loop over ws sockets, and the memory of the gateway',
  async run() {
    const entry = path.join(root, 'services/gateway/bench/fanout.ts')
    const { stdout } = await promisify(execFile)(process.execPath, [entry, String(clients)])
    const { p50, p99, memoryBytes, bytesPerClient } = JSON.parse(stdout) as Fanout
    // The ratio in the table compares rates. A rate is the inverse of a time, so the ratio is `limit` divided by `ours`.
    const summary = { ...p50, ratio: p50.limit / p50.ours, added: p50.ours - p50.limit }
    return [
      createRowWithMinRatio('hub, last of 5,000 clients, p50', summary, minRatio, milliseconds),
      createRowWithMaximum('hub, last of 5,000 clients, p99', p99.ours, maxLastMs, milliseconds, {
        limit: milliseconds(p99.limit),
      }),
      createRowWithMaximum('gateway memory, 5,000 clients', memoryBytes, maxBaseBytes + clients * maxBytesPerClient, megabytes),
      { job: 'gateway memory for each client', ours: kilobytes(bytesPerClient) },
    ]
  },
}
