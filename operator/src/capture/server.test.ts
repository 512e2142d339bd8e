import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { findFreePort } from '@capstan/challenge-instance/testing/find-free-port'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { waitForValue } from '../testing/cluster.ts'

const isMissing = spawnSync('python3', ['--version']).error !== undefined
const captureFolder = path.join(import.meta.dirname, '..', '..', 'capture')

/**
 * Python program that runs the recorder's server without tcpdump. It performs its next step when it reads a line from standard
 * input.
 */
const program = `
import os, sys
sys.path.insert(0, sys.argv[1])
import capture
class Stub(capture.Recorder):
    def __init__(self, folder):
        self.folder, self.ended = folder, False
        self.run, self.statistics, self.lost_segments, self.lost_bytes = "7", {}, 0, 0
        self.lock, self.ending, self.caught_up = capture.threading.Lock(), False, True
    def _open_files(self): return set()
    def is_recording(self): return not self.ended
    def finish(self): self.ending, self.ended = True, True
server = capture.Server(0, allow_local=sys.argv[3] == "local")
print(server.server_address[1], flush=True)
sys.stdin.readline()
server.serve(Stub(sys.argv[2]), capture.Challenge("127.0.0.1", int(sys.argv[4])))
print("serves", flush=True)
sys.stdin.readline()
`

/** Python program that prints which of the given pairs of client address and server address the recorder accepts. */
const verification = `
import json, sys
sys.path.insert(0, sys.argv[1])
import capture
class Connection:
    def __init__(self, address): self.address = address
    def getsockname(self): return (self.address, 19100)
server = capture.Server(0)
pairs = json.loads(sys.argv[2])
print(json.dumps([[peer, own] for peer, own in pairs if server.verify_request(Connection(own), (peer, 40000))]))
`

let folder: string
let challenge: Server | undefined
let child: ChildProcess | undefined

/**
 * Starts the server of a recorder.
 * @returns the address of the server, the port of the recorded challenge, and the function `record`, which starts the recording
 */
async function start(origin: 'local' | 'other' = 'local') {
  const challengePort = await findFreePort()
  const running = spawn('python3', ['-S', '-c', program, captureFolder, folder, origin, String(challengePort)], {
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child = running
  const lines = createInterface(running.stdout)[Symbol.asyncIterator]()
  const nextLine = async () => (await lines.next()).value
  const port = Number(await nextLine())
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async record() {
      running.stdin.write('\n')
      expect(await nextLine()).toBe('serves')
    },
    async openChallenge() {
      challenge = createServer((socket) => socket.destroy()).listen(challengePort, '127.0.0.1')
      await once(challenge, 'listening')
    },
  }
}

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'capstan-recorder-'))
})
afterEach(async () => {
  if (child && child.exitCode === null) {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  child = undefined
  challenge?.close()
  rmSync(folder, { recursive: true })
})

async function statusOf(url: string, method = 'GET') {
  return (await fetch(url, { method })).status
}

describe.skipIf(isMissing)(`the server of a recorder${isMissing ? ' (needs python3)' : ''}`, () => {
  it('the recorder answers a readiness probe as soon as the probed container is ready', async () => {
    const { url, record, openChallenge } = await start()
    const answers: string[] = []
    const ask = (what: string) => statusOf(`${url}/${what}`).then((status) => answers.push(`${what} ${status}`))
    const probes = [ask('ready'), ask('challenge')]
    await record()
    await probes[0]
    expect(answers).toEqual(['ready 204'])
    await openChallenge()
    await probes[1]
    expect(answers).toEqual(['ready 204', 'challenge 204'])
  })

  it('the readiness probe of a challenge fails immediately after the challenge closes its port', async () => {
    const { url, record, openChallenge } = await start()
    await record()
    await openChallenge()
    expect(await statusOf(`${url}/challenge`)).toBe(204)
    challenge?.close()
    expect(await statusOf(`${url}/challenge`)).toBe(503)
    expect(await statusOf(`${url}/ready`)).toBe(204)
  })

  it('the recorder refuses requests for recordings until the recording starts', async () => {
    const { url, record } = await start()
    expect(await statusOf(`${url}/segments`)).toBe(503)
    expect(await statusOf(`${url}/finish`, 'POST')).toBe(503)
    await record()
    expect(await statusOf(`${url}/segments`)).toBe(200)
  })

  it('lists, sends and deletes a segment', async () => {
    const { url, record } = await start()
    const name = '20260102T030405Z-7.pcap'
    const content = Buffer.alloc(3 * 1024 * 1024, 'frames')
    writeFileSync(path.join(folder, name), content)
    await record()
    expect(await (await fetch(`${url}/segments`)).json()).toEqual({
      run: '7',
      segments: [{ name, bytes: content.length }],
      finished: false,
      packets: 0,
      droppedPackets: 0,
      lostSegments: 0,
      lostBytes: 0,
    })
    const answer = await fetch(`${url}/segments/${name}`)
    expect(answer.headers.get('content-type')).toBe('application/vnd.tcpdump.pcap')
    expect(Buffer.from(await answer.arrayBuffer()).equals(content)).toBe(true)
    expect(await statusOf(`${url}/segments/${name}`, 'DELETE')).toBe(204)
    expect(await statusOf(`${url}/segments/${name}`)).toBe(404)
    expect(await (await fetch(`${url}/finish`, { method: 'POST' })).json()).toMatchObject({ segments: [], finished: true })
  })

  it('serves no file outside its folder', async () => {
    const { port, record } = await start()
    await record()
    const ask = async (head: string) => {
      const socket = connect(port, '127.0.0.1')
      socket.end(head)
      let text = ''
      for await (const chunk of socket) text += chunk
      return text.split('\r\n')[0]
    }
    expect(await ask('GET /segments/../capture.py HTTP/1.1\r\n\r\n')).toBe('HTTP/1.1 404 Not Found')
    expect(await ask('PUT /segments HTTP/1.1\r\n\r\n')).toBe('HTTP/1.1 404 Not Found')
    expect(await ask('nonsense\r\n\r\n')).toBe('HTTP/1.1 400 Bad Request')
    expect(await ask(`GET / HTTP/1.1\r\n${'a: b\r\n'.repeat(65)}\r\n`)).toBe('HTTP/1.1 431 Request Header Fields Too Large')
  })

  it('accepts connections of other pods, and refuses connections between addresses of the pod', () => {
    const own = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ family }) => family === 'IPv4')
      .map(({ address }) => address)
    // The client's address and the address to which the client connects
    const pairs = [...own, '127.0.0.2', '203.0.113.9'].flatMap((peer) => [...own, '127.0.0.3'].map((local) => [peer, local]))
    const { stdout, stderr } = spawnSync('python3', ['-S', '-c', verification, captureFolder, JSON.stringify(pairs)], {
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual(pairs.filter(([peer]) => peer === '203.0.113.9'))
  })

  it('closes connections from its own pod without a response', async () => {
    const { url, record } = await start('other')
    await record()
    await waitForValue('the connection is closed', () =>
      fetch(`${url}/segments`).then(
        () => undefined,
        () => true as const,
      ),
    )
  })
})
