import { execFile } from 'node:child_process'
import process from 'node:process'
import { promisify } from 'node:util'
import type { Job } from '../bench.ts'
import { root } from '../process.ts'
import { createRowWithMaximum, milliseconds } from '../table.ts'

const maxMs = 50

export const job: Job = {
  name: 'fold',
  about: 'the fold of 60,000 score records of 5,000 teams and 100 challenges, as the board thread does it',
  async run() {
    const program = ['--conditions=source', 'services/api/bench/fold.ts']
    const { stdout } = await promisify(execFile)(process.execPath, program, { cwd: root })
    const { foldMs, factsMs } = JSON.parse(stdout) as Readonly<{ foldMs: number; factsMs: number }>
    return [
      createRowWithMaximum('fold of 60,000 records', foldMs, maxMs, milliseconds),
      createRowWithMaximum('facts of 5,000 teams from the fold', factsMs, maxMs, milliseconds),
    ]
  },
}
