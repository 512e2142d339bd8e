import { type ChildProcessByStdio, spawn } from 'node:child_process'
import process from 'node:process'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { Limits } from '@capstan/contract/limits'

/** Numbers of the tasks in the protocol of `decode.mjs`. */
const tasks = { inspect: 1, convert: 2, check: 3, convertToJpeg: 4, convertToPng: 5 } as const

export type DecoderTask = Readonly<{
  task: keyof typeof tasks
  widthPx?: number | undefined
  picture: Buffer
}>

export interface Decoder {
  /**
   * Runs one task. The caller must not start another task before the answer arrives.
   * @throws DecoderError
   */
  ask(task: DecoderTask): Promise<Buffer>
  close(): Promise<void>
}

export type DecoderOptions = Readonly<{
  maxBytes?: number
  maxCpuSeconds?: number
  taskTimeoutMs?: number
  idleMs?: number
  program?: string
}>

/**
 * Reason of a failure. `broken`: the picture is unreadable or crashed the decoder. `exhausting`: the picture needs too much
 * memory or time. `unavailable`: there is no decoder, so the picture may be valid.
 */
type DecoderFailure = 'broken' | 'exhausting' | 'unavailable'

export class DecoderError extends Error {
  readonly failure: DecoderFailure
  constructor(failure: DecoderFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'DecoderError'
    this.failure = failure
  }
}

type Child = ChildProcessByStdio<Writable, Readable, null>

type Outcome = Buffer | DecoderError

interface Running {
  readonly child: Child
  readonly exited: Promise<void>
  /** Receives output of the process. Undefined while no task runs. */
  receive: ((chunk: Buffer) => void) | undefined
  settle: ((outcome: Outcome) => void) | undefined
}

const program = fileURLToPath(new URL('./decode.mjs', import.meta.url))
const startTimeoutMs = 30_000
const idleMs = 60_000
const taskHeadBytes = 12
const answerHeadBytes = 5
const maxAnswerBytes = {
  inspect: 1024,
  convert: Limits.maxStoredPictureBytes,
  check: 0,
  convertToJpeg: Limits.maxStoredPictureBytes,
  convertToPng: Limits.maxStoredPictureBytes,
} as const

/** A small JavaScript heap suffices, since pictures are stored outside of the heap. */
const nodeOptions = ['--max-old-space-size=64', '--max-semi-space-size=1']

/**
 * Environment of the decoder. It lacks the variables of this process, which include secrets. The variables in this object make
 * glibc return freed memory, which would otherwise accumulate. Systems without glibc ignore the variables.
 */
const environment = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072' }

/**
 * Creates a reader that collects and fully validates an answer, because a picture may have compromised the decoder.
 * @returns the complete answer; `isSound` is false if the decoder must be replaced
 */
function createAnswerReader(maxBytes: number) {
  const chunks: Buffer[] = []
  let receivedBytes = 0
  let answerBytes: number | undefined
  return (chunk: Buffer): Readonly<{ outcome: Outcome; isSound: boolean }> | undefined => {
    chunks.push(chunk)
    receivedBytes += chunk.length
    if (answerBytes === undefined) {
      if (receivedBytes < answerHeadBytes) return undefined
      const contentBytes = Buffer.concat(chunks).readUInt32LE(1)
      if (contentBytes > maxBytes)
        return { outcome: new DecoderError('exhausting', 'The response of the decoder is too long'), isSound: false }
      answerBytes = answerHeadBytes + contentBytes
    }
    if (receivedBytes < answerBytes) return undefined
    const answer = Buffer.concat(chunks)
    const [status] = answer
    if (receivedBytes > answerBytes || (status !== 0 && status !== 1))
      return { outcome: new DecoderError('broken', 'The response of the decoder is invalid'), isSound: false }
    const refusal = new DecoderError('broken', 'The picture cannot be decoded')
    return { outcome: status === 1 ? answer.subarray(answerHeadBytes) : refusal, isSound: true }
  }
}

/**
 * Decodes pictures in a child process. The first picture starts the process, and the process ends when idle. The process ends
 * itself if it exceeds its limits of memory or time. ADR 10.
 */
export function createDecoder(options: DecoderOptions = {}): Decoder {
  const maxBytes = options.maxBytes ?? Limits.maxPictureProcessBytes
  const maxCpuSeconds = options.maxCpuSeconds ?? Limits.maxPictureCpuSeconds
  const taskTimeoutMs = options.taskTimeoutMs ?? Limits.maxPictureSeconds * 1000
  let current: Running | undefined
  let isClosed = false
  let idleTimer: NodeJS.Timeout | undefined

  const drop = (running: Running): void => {
    if (current === running) current = undefined
    running.child.kill('SIGKILL')
  }

  const spawnChild = (): Running => {
    const limits = [maxBytes, Limits.maxPicturePixels, maxCpuSeconds].map(String)
    const args = [...nodeOptions, options.program ?? program, ...limits]
    const child = spawn(process.execPath, args, { env: environment, stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true })
    const exited = new Promise<void>((resolve) => {
      child.once('close', () => resolve())
      child.once('error', () => resolve())
    })
    const running: Running = { child, exited, receive: undefined, settle: undefined }
    child.once('error', (cause) => running.settle?.(new DecoderError('unavailable', 'The decoder did not start', { cause })))
    child.once('close', (code, signal) => {
      drop(running)
      // If the process exceeds its limits, the process itself or the system ends it with SIGKILL.
      const failure = signal === 'SIGKILL' ? 'exhausting' : 'broken'
      running.settle?.(new DecoderError(failure, `The decoder ended with ${signal ?? code}`))
    })
    child.stdin.on('error', () => {})
    child.stdout.on('data', (chunk: Buffer) => {
      // Output without a task is unexpected, so the process is no longer trusted.
      if (running.receive) running.receive(chunk)
      else drop(running)
    })
    return running
  }

  const awaitAnswer = (running: Running, answerLimitBytes: number, timeoutMs: number): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const read = createAnswerReader(answerLimitBytes)
      running.settle = (outcome) => {
        clearTimeout(timer)
        running.settle = undefined
        running.receive = undefined
        if (outcome instanceof DecoderError) reject(outcome)
        else resolve(outcome)
      }
      running.receive = (chunk) => {
        const answer = read(chunk)
        if (answer && !answer.isSound) drop(running)
        if (answer) running.settle?.(answer.outcome)
      }
      const timer = setTimeout(() => {
        drop(running)
        running.settle?.(new DecoderError('exhausting', `The decoder took longer than ${timeoutMs} ms`))
      }, timeoutMs)
    })

  const start = async (): Promise<Running> => {
    try {
      current = spawnChild()
      const running = current
      await awaitAnswer(running, 0, startTimeoutMs)
      return running
    } catch (cause) {
      if (current) drop(current)
      throw new DecoderError('unavailable', 'The decoder did not start', { cause })
    }
  }

  return {
    async ask({ task, widthPx = 0, picture }) {
      if (isClosed) throw new DecoderError('unavailable', 'The decoder is closed')
      clearTimeout(idleTimer)
      const running = current ?? (await start())
      const head = Buffer.alloc(taskHeadBytes)
      head.writeUInt32LE(tasks[task], 0)
      head.writeUInt32LE(widthPx, 4)
      head.writeUInt32LE(picture.length, 8)
      running.child.stdin.write(head)
      running.child.stdin.write(picture)
      try {
        return await awaitAnswer(running, maxAnswerBytes[task], taskTimeoutMs)
      } finally {
        if (current === running) idleTimer = setTimeout(() => drop(running), options.idleMs ?? idleMs)
      }
    },
    async close() {
      isClosed = true
      clearTimeout(idleTimer)
      const running = current
      if (!running) return
      running.settle?.(new DecoderError('unavailable', 'The decoder is closed'))
      drop(running)
      await running.exited
    },
  }
}
