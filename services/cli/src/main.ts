import process from 'node:process'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { runCommandLine } from './run.ts'

/** Asks a question on the terminal. A secret answer is not shown while it is typed. */
async function ask(question: string, isSecret: boolean): Promise<string> {
  let isMuted = false
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      if (!isMuted) process.stderr.write(chunk)
      done()
    },
  })
  const reader = createInterface({ input: process.stdin, output, terminal: true })
  const answer = reader.question(`${question} `)
  isMuted = isSecret
  try {
    return await answer
  } finally {
    reader.close()
    if (isSecret) process.stderr.write('\n')
  }
}

// A reader such as `head` closes the pipe when it has enough lines.
process.stdout.on('error', (cause: NodeJS.ErrnoException) => {
  if (cause.code !== 'EPIPE') throw cause
  process.exit(0)
})

const isTerminal = process.stdout.isTTY === true
const isWatched = process.stderr.isTTY === true

// After Ctrl-C, print what was done. Shells use the same exit code for this signal.
process.once('SIGINT', () => {
  const start = isWatched ? '\r\u001b[K' : ''
  process.stderr.write(`${start}Stopped. Completed steps are not undone; run the same command again to do the rest.\n`)
  process.exit(130)
})

process.exitCode = await runCommandLine(process.argv.slice(2), {
  line: (line) => process.stdout.write(`${line}\n`),
  error: (line) => process.stderr.write(`${isWatched ? '\r\u001b[K' : ''}${line}\n`),
  environment: process.env,
  hasColours: isTerminal && !process.env.NO_COLOR,
  ...(isWatched && { progress: (line: string) => void process.stderr.write(`\r\u001b[K${line}`) }),
  ...(process.stdin.isTTY && { ask }),
  now: () => Date.now(),
  readInput: () => text(process.stdin),
})
