import { challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import type { ChallengeInstanceSpec } from '@capstan/challenge-instance/definition'
import { instanceLabel } from '@capstan/challenge-instance/labels'
import { secretVariableKey } from '@capstan/challenge-instance/names'
import { pods, secrets } from '@capstan/kubernetes/built-in-kinds'
import { findCondition } from '@capstan/kubernetes/conditions'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createTestCluster,
  echoImage,
  operatorImage,
  type RunningOperator,
  sendLineAndReadReply,
  type TestCluster,
  waitForValue,
} from '../testing/cluster.ts'

let cluster: TestCluster
let operator: RunningOperator

beforeAll(async () => {
  cluster = await createTestCluster()
  operator = await cluster.startOperator({ environment: { CAPSTAN_FLAG_FILE_IMAGE: operatorImage } })
})
afterAll(() => cluster?.close())

/**
 * Program that reports its user, files and permissions on port 1337. From one second after its start, it also reports its health
 * by HTTP on port 8080.
 */
const witness = `
const fs = require('node:fs'), net = require('node:net'), http = require('node:http')
const attempt = (work) => { try { return work() } catch (error) { return error.code } }
const fileOf = (path) => attempt(() => { const { uid, mode } = fs.statSync(path); return { uid, mode: (mode & 0o7777).toString(8), text: attempt(() => fs.readFileSync(path, 'utf8')) } })
const writes = (path) => attempt(() => { fs.writeFileSync(path, 'x'); return 'written' })
net.createServer((socket) => socket.on('error', () => {}).end(JSON.stringify({
  words: process.argv.slice(1), uid: process.getuid(), gid: process.getgid(),
  flag: process.env.FLAG, key: process.env.KEY, mode: process.env.MODE,
  file: fileOf('/challenge/flag.txt'), root: writes('/x'), folder: writes('/scratch/x'), replaced: writes('/challenge/flag.txt'),
}) + '\\n')).listen(1337)
setTimeout(() => http.createServer((request, response) => { response.statusCode = request.url === '/ready' ? 204 : 500; response.end() }).listen(8080), 1000)
`

async function start(
  spec: Partial<ChallengeInstanceSpec>,
  { name, values = {} }: { name: string; values?: Record<string, string> },
) {
  if (Object.keys(values).length > 0)
    await cluster.client.create(secrets, cluster.namespace, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: cluster.namespace, labels: { [instanceLabel]: name } },
      stringData: values,
    })
  return cluster.create(spec, { name })
}

async function reportOf(name: string) {
  const { status } = await cluster.waitForReason(name, 'Ready')
  return JSON.parse(await sendLineAndReadReply(status!.address!.host, status!.address!.port, 'tell')) as Record<string, unknown>
}

describe.concurrent('an instance', () => {
  it('an instance runs with its program, user, environment variables, flag file and read-only root', async () => {
    const name = 'ci-asks'
    await start(
      {
        flag: { secretName: name, environmentNames: [], file: { path: '/challenge/flag.txt', mode: '0400', owner: 1234 } },
        container: {
          command: ['node', '-e', witness],
          args: ['$(KEY)', 'two words'],
          environment: [{ name: 'MODE', value: '$(KEY) $HOME' }],
          secretEnvironment: ['KEY'],
          user: 1234,
          group: 2345,
          rootFileSystem: 'ReadOnly',
          writablePaths: [{ path: '/scratch', sizeMb: 4 }],
          furtherPorts: [8080],
          readiness: { port: 8080, path: '/ready' },
        },
      },
      { name, values: { flag: 'flag{file}', [secretVariableKey('KEY')]: 'hidden' } },
    )
    expect(await reportOf(name)).toEqual({
      words: ['$(KEY)', 'two words'],
      ...{ uid: 1234, gid: 2345 },
      key: 'hidden',
      mode: '$(KEY) $HOME',
      file: { uid: 1234, mode: '400', text: 'flag{file}' },
      root: 'EROFS',
      folder: 'written',
      replaced: 'EROFS',
    })
    // The instance owns the Secret, and the instance object contains none of the Secret's values.
    const secret = await waitForValue('the Secret belongs to the instance', async () => {
      const found = await cluster.find(secrets, name)
      return found?.metadata.ownerReferences ? found : undefined
    })
    expect(secret.metadata.ownerReferences?.[0]?.name).toBe(name)
    const instance = JSON.stringify(await cluster.waitForReason(name, 'Ready'))
    expect(instance).not.toContain('hidden')
    expect(instance).not.toContain('flag{file}')
  })

  it('has the flag in an environment variable and in a file that root owns', async () => {
    const name = 'ci-root-file'
    await start(
      {
        flag: { secretName: name, environmentNames: ['FLAG'], file: { path: '/challenge/flag.txt', mode: '0444', owner: 0 } },
        container: { command: ['node', '-e', witness] },
      },
      { name, values: { flag: 'flag{both}' } },
    )
    expect(await reportOf(name)).toMatchObject({
      flag: 'flag{both}',
      file: { uid: 0, mode: '444', text: 'flag{both}' },
      root: 'EACCES',
    })
    expect((await cluster.find(pods, name))?.status?.initContainerStatuses).toBeUndefined()
  })

  it('an instance has the reason NotAnswering if its readiness path does not respond in time', async () => {
    const name = 'ci-late'
    await start({ container: { readiness: { path: '/ready' }, startTimeoutSeconds: 2 } }, { name })
    const { status } = await cluster.waitForReason(name, 'NotAnswering')
    expect(JSON.stringify(status?.conditions)).toContain('/ready on port 1337 is not answered')
  })

  it('an instance is accepted if it lacks newer fields because an earlier version created it', async () => {
    const name = 'ci-earlier'
    const { spec } = await cluster.create({}, { name, flag: 'flag{old}' })
    expect(spec).not.toHaveProperty('container')
    expect(spec.flag).toEqual({ secretName: name, environmentNames: ['FLAG'] })
    await cluster.waitForReason(name, 'Ready')
    await cluster.setEnd(name, 600_000)
    expect((await cluster.find(pods, name))?.status?.containerStatuses?.[0]?.restartCount).toBe(0)
  })
})

/**
 * Program that writes each text received on port 1337 to its output, in two pieces. The program ends when it receives the text
 * `exit`.
 */
const talker = `
require('node:net').createServer((socket) => socket.on('error', () => {}).once('data', (data) => {
  const text = String(data).trim()
  if (text === 'exit') process.exit(1)
  process.stdout.write(text.slice(0, 5))
  setTimeout(() => process.stdout.write(text.slice(5) + '\\n', () => socket.end('said\\n')), 50)
})).listen(1337)
`
function talking(program: string, startTimeoutSeconds: number) {
  return {
    container: { command: ['node', '-e', program], readiness: { line: '★ serving' }, startTimeoutSeconds },
  }
}

describe.concurrent('an instance with a readiness line', () => {
  const listening = (name: string, restarts: number) =>
    waitForValue(`run ${restarts} listens`, async () => {
      const { status } = (await cluster.find(pods, name)) ?? {}
      const [container] = status?.containerStatuses ?? []
      if (!container?.ready || container.restartCount !== restarts || !status?.podIP) return undefined
      const answer = await sendLineAndReadReply(status.podIP, 1337, 'not yet').catch(() => undefined)
      return answer === undefined ? undefined : status.podIP
    })
  const reasonOf = async (name: string) => {
    const instance = await cluster.find(challengeInstances, name)
    return findCondition(instance?.status?.conditions, 'Ready')?.reason
  }

  it('an instance becomes ready after each start of its container only when the readiness line is printed', async () => {
    const name = 'ci-talks'
    await start(talking(talker, 120), { name })
    const first = await listening(name, 0)
    expect(await reasonOf(name)).not.toBe('Ready')
    await sendLineAndReadReply(first, 1337, '[info] ★ serving on 1337')
    await cluster.waitForReason(name, 'Ready')
    await sendLineAndReadReply(first, 1337, 'exit').catch(() => undefined)
    const second = await listening(name, 1)
    await cluster.reconcileOnce(operator, name)
    expect(await reasonOf(name)).toBe('Restarting')
    await sendLineAndReadReply(second, 1337, '★ serving again')
    await cluster.waitForReason(name, 'Ready')
  })

  it('the status shows the reason NotAnswering after megabytes of output without the readiness line', async () => {
    const name = 'ci-noisy'
    const noise = "process.stdout.write(Buffer.alloc(3_000_000, 0xff), () => console.log('★ serving'))"
    await start(talking(`${noise}\n${talker}`, 3), { name })
    const { status } = await cluster.waitForReason(name, 'NotAnswering')
    expect(findCondition(status?.conditions, 'Reachable')?.message).toBe('No line with "★ serving" was written')
  })

  it('becomes ready at the next check if the readiness line appears after the deadline', async () => {
    const name = 'ci-late-line'
    await start(talking(talker, 2), { name })
    await cluster.waitForReason(name, 'NotAnswering')
    await sendLineAndReadReply(await listening(name, 0), 1337, '★ serving')
    await waitForValue('a look finds the line', async () => {
      await cluster.reconcileOnce(operator, name)
      return (await reasonOf(name)) === 'Ready' || undefined
    })
  })

  it('becomes ready if the operator starts after the readiness line, and remains ready with a new operator', async () => {
    const elsewhere = await createTestCluster()
    try {
      const name = 'ci-unheard'
      const before = await elsewhere.startOperator()
      await elsewhere.create(talking(talker, 120), { name })
      const podAddress = await waitForValue('the pod listens', async () => {
        const address = (await elsewhere.find(pods, name))?.status?.podIP
        return address && (await sendLineAndReadReply(address, 1337, 'not yet').catch(() => undefined)) ? address : undefined
      })
      await before.stop()
      await sendLineAndReadReply(podAddress, 1337, '★ serving')
      const after = await elsewhere.startOperator()
      await elsewhere.waitForReason(name, 'Ready')
      await after.stop()
      const last = await elsewhere.startOperator()
      await elsewhere.reconcileOnce(last, name)
      expect((await elsewhere.waitForReason(name, 'Ready')).status?.restarts).toBe(0)
    } finally {
      await elsewhere.close()
    }
  })
})

describe('the definition of an instance', () => {
  const withFile = (path: string) => ({
    flag: { secretName: 'ci-x', environmentNames: [], file: { path, mode: '0444', owner: 0 } },
  })
  it.each<[string, Partial<ChallengeInstanceSpec>]>([
    ['the user root for the profile Restricted', { container: { user: 0 } }],
    ['the entry port in the list of additional ports', { container: { furtherPorts: [1337] } }],
    ['a readiness line together with a readiness port', { container: { readiness: { line: 'serving', port: 1337 } } }],
    ['a readiness line together with a readiness path', { container: { readiness: { line: 'serving', path: '/' } } }],
    ['a readiness line that contains a line break', { container: { readiness: { line: 'serving\non' } } }],
    ['a readiness line that begins with a space', { container: { readiness: { line: ' serving' } } }],
    ['a readiness line that is too long', { container: { readiness: { line: '★'.repeat(257) } } }],
    ['a readiness port that the container does not list', { container: { readiness: { port: 9000 } } }],
    ['a flag file whose path contains ..', withFile('/home/../../etc/flag')],
    ['a flag file in /proc', withFile('/proc/flag')],
    [
      'a flag file with an invalid mode',
      { flag: { ...withFile('/flag').flag, file: { path: '/flag', mode: '4755', owner: 0 } } },
    ],
    [
      'a flag file with the path of a writable folder',
      { ...withFile('/scratch'), container: { writablePaths: [{ path: '/scratch', sizeMb: 1 }] } },
    ],
    ['a flag file from the Secret of another instance', { flag: { ...withFile('/flag').flag, secretName: 'ci-other' } }],
    ['a writable folder of 0 MB', { container: { writablePaths: [{ path: '/scratch', sizeMb: 0 }] } }],
    ['an environment variable with the name TEAM_ID', { container: { environment: [{ name: 'TEAM_ID', value: '1' }] } }],
    ['an invalid name of a secret environment variable', { container: { secretEnvironment: ['A B'] } }],
    ['a negative user id', { container: { user: -1 } }],
  ])('rejects %s', async (_what, spec) => {
    await expect(cluster.create({ image: echoImage, ...spec }, { name: 'ci-x' })).rejects.toMatchObject({ status: 422 })
  })

  it('rejects a change of the program’s arguments', async () => {
    const { metadata } = await cluster.create({ container: { args: ['one'] } })
    const change = (container: object) =>
      cluster.client.patchMerge(challengeInstances, cluster.namespace, metadata.name, { spec: { container } })
    await expect(change({ args: ['two'] })).rejects.toMatchObject({ status: 422 })
  })
})
