// Hashes and checks passwords in a worker thread, one password at a time. A TypeScript loader would need more memory, so this file
// is JavaScript.
import { createHash, createHmac, pbkdf2Sync, scryptSync, timingSafeEqual } from 'node:crypto'
import { getPriority, setPriority } from 'node:os'
import process from 'node:process'
import { parentPort, workerData } from 'node:worker_threads'
import { hashSync, verifySync } from '@node-rs/argon2'
import { verifySync as verifyBcrypt } from '@node-rs/bcrypt'

const { niceness, pausesAfterHash } = workerData

if (process.platform === 'linux') setPriority(0, Math.min(19, getPriority(0) + niceness))

const pause = new Int32Array(new SharedArrayBuffer(4))
let restUntilMs = 0

const cpuMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Functions that return the input of bcrypt for a password. Rules: `foreign-hash.ts` of the contract. */
const bcryptInputs = {
  plain: (password) => password,
  sha256: (password) => createHash('sha256').update(password).digest('base64'),
  'hmac-sha256': (password, hash) => createHmac('sha256', hash.slice(7, 29)).update(password).digest('base64'),
}

const bytesOf = ({ encoding, text }) => Buffer.from(text, encoding)
const isSame = (made, key) => made.length === key.length && timingSafeEqual(made, key)

const foreignChecks = {
  bcrypt: ({ hash, input }, password) => verifyBcrypt(bcryptInputs[input](password, hash), hash),
  pbkdf2: ({ digest, iterations, salt, key }, password) => {
    const wanted = bytesOf(key)
    return isSame(pbkdf2Sync(password, bytesOf(salt), iterations, wanted.length, digest), wanted)
  },
  scrypt: ({ cost, blockSize, parallelization, salt, key }, password) => {
    const wanted = bytesOf(key)
    const maxmem = 128 * cost * blockSize * 2
    const options = { N: cost, r: blockSize, p: parallelization, maxmem }
    return isSame(scryptSync(password, bytesOf(salt), wanted.length, options), wanted)
  },
}

const perform = ({ hash, password, options, foreign }) => {
  try {
    if (foreign) return { result: foreignChecks[foreign.scheme](foreign, password) }
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
  if (pausesAfterHash) restUntilMs = performance.now() + cpuMs() - before
  parentPort.postMessage(answer)
})
