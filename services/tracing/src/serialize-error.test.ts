import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { removeSecrets, safeLogging, serializeError } from './serialize-error.ts'

const planted = 'PLANTED'

const failures: [string, () => unknown][] = [
  [
    'a statement with its parameters',
    () =>
      Object.assign(new Error(`Failed query: insert\nparams: a,${planted}\n    at ${planted}`), {
        params: [planted],
        query: 'insert',
      }),
  ],
  [
    'a refusal of the database with its details',
    () => Object.assign(new Error('refused'), { detail: planted, where: planted, hint: planted }),
  ],
  ['a query of the driver', () => Object.assign(new Error('closed'), { query: planted, parameters: [planted], args: [planted] })],
  ['a request with its body', () => new Error(`HTTP-Code: 422\nMessage: Unknown\nBody: {"stringData":{"FLAG":"${planted}"}}`)],
  [
    'a request with its answer',
    () => Object.assign(new Error('422'), { body: { data: planted }, response: planted, headers: { a: planted } }),
  ],
  ['a command of Redis with its arguments', () => new Error(`ERR unknown command 'X', with args beginning with: '${planted}'`)],
  ['an address with a password', () => new Error(`cannot reach postgres://capstan:${planted}@db:5432/capstan`)],
  ['an address with a token', () => new Error(`554 blocked https://ctf.example.org/account/reset?token=${planted}&email=a now`)],
  [
    'an invalid address',
    () => new Error('Invalid URL', { cause: Object.assign(new TypeError('Invalid URL'), { input: planted }) }),
  ],
  ['several failures', () => new AggregateError([Object.assign(new Error('one'), { params: planted })], 'all failed')],
  [
    'a chain of causes',
    () =>
      new Error('outer', { cause: new Error('inner', { cause: Object.assign(new Error('innermost'), { config: planted }) }) }),
  ],
  ['a value that is no error', () => ({ secret: planted })],
]

test.each(failures)('no kind of log line reveals the secrets of %s', (_name, fail) => {
  const lines: string[] = []
  const log = pino({ ...safeLogging, level: 'trace' }, { write: (line: string) => void lines.push(line) })
  const failure = fail()
  log.error({ err: failure }, 'It failed')
  log.child({ reqId: 1 }).warn({ err: failure })
  if (failure instanceof Error) {
    log.error(failure)
    log.error({ err: failure }, failure.message)
  }
  expect(lines.length).toBeGreaterThan(1)
  expect(lines.join('')).not.toContain(planted)
})

test('a logged error has type, message, codes, causes and stack', () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:5432'), { code: 'ECONNREFUSED', port: 5432 })
  const safeText = serializeError(new TypeError('Could not read', { cause }))
  expect(safeText).toMatchObject({
    type: 'TypeError',
    message: 'Could not read',
    cause: { message: 'connect ECONNREFUSED 10.0.0.1:5432', code: 'ECONNREFUSED', port: 5432 },
  })
  expect(safeText.stack).toMatch(/^TypeError: Could not read\n {4}at .*serialize-error\.test\.ts/)
})

test('a logged error contains only a limited part of long texts and of circular causes', () => {
  const round = new Error('x'.repeat(10_000))
  round.cause = round
  expect(JSON.stringify(serializeError(round)).length).toBeLessThan(60_000)
})

test('does not change a text that contains no secret', () => {
  expect(removeSecrets('Is it ready? Not yet: see http://example.org/a')).toBe('Is it ready? Not yet: see http://example.org/a')
})

test.each([
  ['thrown', `setTimeout(() => { throw failure })`],
  ['left as a rejection', 'void Promise.reject(failure)'],
])('after an uncaught failure that is %s, a process exits and prints nothing secret', async (_name, statement) => {
  const source = `
    import { pino } from ${JSON.stringify(import.meta.resolve('pino'))}
    import { logUncaughtErrors, safeLogging } from ${JSON.stringify(new URL('./serialize-error.ts', import.meta.url).href)}
    logUncaughtErrors(pino(safeLogging))
    const failure = Object.assign(new Error('Failed query\\nparams: ${planted}'), { params: ['${planted}'] })
    ${statement}
    setTimeout(() => process.exit(0), 20_000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const code = await new Promise((resolve) => child.once('close', resolve))
  expect([code, output.includes(planted)]).toEqual([1, false])
  expect(output).toContain('Failed query')
})
