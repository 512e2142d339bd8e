import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { inheritedEnvironment, requiredEnvironment } from '@capstan/api/testing/environment'
import { isFullRun } from '@capstan/api/testing/full-run'
import { createTestDatabase } from '@capstan/db/testing/test-database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { playFuzzSequence } from './attacker.ts'
import { findFailedCalls } from './honest.ts'
import type { Ports } from './names.ts'
import { createRandom } from './random.ts'
import { makeFuzzSequence, type Sequence } from './sequence.ts'

const total = Number(process.env.CAPSTAN_TEST_FUZZ_SEQUENCES ?? (isFullRun ? 20_000 : 400))
const seed = Number(process.env.CAPSTAN_TEST_FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31))
const atOnce = 64
/** Number of random byte sequences after which the test checks all listeners with valid calls. */
const roundLength = 1_000

let database: Awaited<ReturnType<typeof createTestDatabase>>
let child: ChildProcess
let ports: Ports
let said = ''
let folder: string

beforeAll(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(path.join(tmpdir(), 'capstan-fuzz-'))
  await writeFile(path.join(folder, 'index.html'), '<title>%title%</title>')
  child = fork(fileURLToPath(new URL('./world-process.ts', import.meta.url)), [folder], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { ...inheritedEnvironment, ...requiredEnvironment, DATABASE_URL: database.url, CAPSTAN_RATE_LIMITS: 'off' },
  })
  child.stderr?.on('data', (bytes) => {
    said += String(bytes)
  })
  const ended = once(child, 'close').then(() => {
    throw new Error(`The attacked process ended: ${said}`)
  })
  ended.catch(() => {})
  const [message] = (await Promise.race([once(child, 'message'), ended])) as [Ports]
  ports = message
}, 300_000)

afterAll(async () => {
  const ended = child.exitCode === null && child.signalCode === null ? once(child, 'close') : undefined
  child.kill('SIGKILL')
  await ended
  await database.drop()
  await rm(folder, { recursive: true })
})

function describeSequence(sequence: Sequence): string {
  return JSON.stringify({ ...sequence, pieces: sequence.pieces.map((piece) => piece.toString('latin1')) })
}

test('random sequences of bytes crash no process, and every listener still answers a valid call', {
  timeout: 3_600_000,
}, async () => {
  console.log(`${total} sequences of CAPSTAN_TEST_FUZZ_SEED=${seed}`)
  const recent: Sequence[] = []
  for (let from = 0; from < total; from += roundLength) {
    const end = Math.min(total, from + roundLength)
    let next = from
    const attack = async (): Promise<void> => {
      while (next < end && child.exitCode === null) {
        const sequence = makeFuzzSequence(createRandom(seed + next))
        next += 1
        recent.push(sequence)
        if (recent.length > 2 * atOnce) recent.shift()
        await playFuzzSequence(sequence, ports)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, attack))
    if (child.exitCode !== null)
      throw new Error(
        `The process ended with seed ${seed} before sequence ${next}: ${said}\n${recent.map(describeSequence).join('\n')}`,
      )
    expect(await findFailedCalls(ports), `seed ${seed}, after ${end} sequences`).toEqual({})
  }
  expect(said, `seed ${seed}`).toBe('')
})
