// Hashes passwords for the api in a thread of its own, one at a time. Plain JavaScript, as the loader of TypeScript would cost memory.
// The answer to each task is a hash or whether the password matches, or an error.
import { getPriority, setPriority } from 'node:os'
import process from 'node:process'
import { parentPort, workerData } from 'node:worker_threads'
import { hashSync, verifySync } from '@node-rs/argon2'

const { niceness, restsBetween } = workerData

// On Linux a priority is a thread's own; elsewhere this would slow down the whole process.
if (process.platform === 'linux') setPriority(0, Math.min(19, getPriority(0) + niceness))

const pause = new Int32Array(new SharedArrayBuffer(4))
let restUntilMs = 0

const cpuMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

const perform = ({ hash, password, options }) => {
  try {
    return { result: hash === undefined ? hashSync(password, options) : verifySync(hash, password) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

parentPort.on('message', (task) => {
  const restMs = restUntilMs - performance.now()
  if (restMs > 0) Atomics.wait(pause, 0, 0, restMs)
  const before = cpuMs()
  const answer = perform(task)
  if (restsBetween) restUntilMs = performance.now() + cpuMs() - before
  parentPort.postMessage(answer)
})
