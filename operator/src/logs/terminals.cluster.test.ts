import { once } from 'node:events'
import { challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import type { ChallengeInstanceSpec } from '@capstan/challenge-instance/definition'
import { pathOfTerminalRequest } from '@capstan/challenge-instance/terminal-request'
import { findFreePort } from '@capstan/challenge-instance/testing/find-free-port'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { createTestCluster, echoImage, type TestCluster, waitForValue } from '../testing/cluster.ts'

const token = 'a token of the tests'

let cluster: TestCluster
let port: number

beforeAll(async () => {
  cluster = await createTestCluster()
  port = await findFreePort()
  const environment = { CAPSTAN_OPERATOR_TOKEN: token, CAPSTAN_LOGS_PORT: String(port), CAPSTAN_TERMINALS: 'on' }
  await cluster.startOperator({ environment })
})
afterAll(() => cluster?.close())

/**
 * Opens a terminal.
 * @returns its socket and status, a function that types a line, and a function that waits until the output matches
 */
async function open(instance: string) {
  const address = `ws://127.0.0.1:${port}${pathOfTerminalRequest({ instance, container: 'challenge' })}`
  const socket = new WebSocket(address, { headers: { authorization: `Bearer ${token}` } })
  onTestFinished(() => socket.terminate())
  let output = ''
  socket.on('error', () => {})
  socket.on('message', (data: Buffer) => {
    output += data.toString()
  })
  const status = await Promise.race([
    once(socket, 'open').then(() => 101),
    once(socket, 'unexpected-response').then(([, { statusCode }]) => statusCode as number),
  ])
  const type = (line: string) => socket.send(Buffer.from(`${line}\r`))
  const shows = (text: RegExp) => waitForValue(`the terminal shows ${text}`, async () => text.test(output) || undefined)
  return { socket, status, type, shows }
}

const testInstanceFields = { teamId: undefined, participationId: undefined } as unknown as Partial<ChallengeInstanceSpec>
const idle = { image: echoImage, container: { command: ['node', '-e', "require('net').createServer().listen(1337)"] } }

it('runs a shell with a terminal of the given size in a test instance, and ends with the shell or the instance', async () => {
  const { metadata } = await cluster.create({ ...idle, ...testInstanceFields })
  await cluster.waitForReason(metadata.name, 'Ready')
  const { socket, status, type, shows } = await open(metadata.name)
  expect(status).toBe(101)
  socket.send('{"columns":101,"rows":31}', { binary: false })
  type('echo answer $((40 + 2)) $TERM')
  await shows(/answer 42 xterm-256color/)
  type('[ -t 0 ] && echo "tty": $(stty size)')
  await shows(/tty: 31 101/)
  const closed = once(socket, 'close')
  type('exit')
  await closed
  const second = await open(metadata.name)
  const ended = once(second.socket, 'close')
  await cluster.remove(challengeInstances, metadata.name)
  await ended
})

it('ends the shell when the client disconnects', async () => {
  const { metadata } = await cluster.create({ ...idle, ...testInstanceFields })
  await cluster.waitForReason(metadata.name, 'Ready')
  const first = await open(metadata.name)
  const second = await open(metadata.name)
  first.type('echo "first" runs; exec cat')
  await first.shows(/first runs/)
  second.type('until grep -qsx cat /proc/[0-9]*/comm; do sleep 0.1; done; echo "first" seen')
  await second.shows(/first seen/)
  first.socket.close()
  second.type('while grep -qsx cat /proc/[0-9]*/comm; do sleep 0.1; done; echo "first" ended')
  await second.shows(/first ended/)
  await cluster.remove(challengeInstances, metadata.name)
})

it('refuses the instance of a team', async () => {
  const { metadata } = await cluster.create(idle)
  await cluster.waitForReason(metadata.name, 'Ready')
  expect((await open(metadata.name)).status).toBe(403)
  await cluster.remove(challengeInstances, metadata.name)
})
