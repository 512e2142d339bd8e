import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { getPriority, tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { expect, test } from 'vitest'
import { createHashThreads, planHashThreads } from './hash-threads.ts'

const cheap = { memoryCost: 8, timeCost: 1, parallelism: 1 }

/** Returns the niceness of all threads of this process. In /proc the value follows the name in parentheses. */
function nicenessOfThreads() {
  return readdirSync('/proc/self/task').map((thread) => {
    const text = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[16])
  })
}

test('hash threads leave one processor free for requests, or pause between hashes on a single processor', () => {
  expect([1, 2, 4, 64].map(planHashThreads)).toEqual([
    { threads: 1, pausesAfterHash: true },
    { threads: 1, pausesAfterHash: false },
    { threads: 3, pausesAfterHash: false },
    { threads: 4, pausesAfterHash: false },
  ])
})

test('rejects a task with invalid parameters, and still hashes the next password', async () => {
  const { hash, verify } = createHashThreads({ pausesAfterHash: true })
  await expect(verify('$argon2id$broken', 'Secret1')).rejects.toThrow('Could not hash a password')
  expect(await verify(await hash('Secret1', cheap), 'Secret1')).toBe(true)
})

test.skipIf(process.platform !== 'linux')('runs hash threads at lower priority than all other threads', async () => {
  const usual = getPriority()
  const behind = Math.min(19, usual + 15)
  const { hash } = createHashThreads({ pausesAfterHash: false })
  const before = nicenessOfThreads().filter((niceness) => niceness === behind).length
  await Promise.all([hash('Secret1', cheap), hash('Secret2', cheap)])
  expect(nicenessOfThreads().filter((niceness) => niceness === behind)).toHaveLength(before + 2)
  expect(getPriority()).toBe(usual)
})

test.skipIf(process.platform === 'win32')('hashes passwords even if all threads of Node’s pool are busy', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'capstan-'))
  const { hash } = createHashThreads({ pausesAfterHash: false })
  await hash('Secret1', cheap)
  const pipes = Array.from({ length: Number(process.env.UV_THREADPOOL_SIZE ?? 4) }, (_, index) => path.join(folder, `${index}`))
  execFileSync('mkfifo', pipes)
  // Keeps a thread of Node's pool busy: opening a pipe for reading blocks until another process opens the pipe for writing.
  const readers = pipes.map((pipe) => open(pipe, 'r'))
  try {
    expect(await hash('Secret2', cheap)).toMatch(/^\$argon2id/)
  } finally {
    const writers = pipes.map((pipe) => openSync(pipe, 'r+'))
    for (const reader of await Promise.all(readers)) await reader.close()
    for (const writer of writers) closeSync(writer)
    await rm(folder, { recursive: true })
  }
})
