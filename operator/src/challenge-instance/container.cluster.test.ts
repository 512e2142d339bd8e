import { challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import type { ChallengeInstanceSpec } from '@capstan/challenge-instance/definition'
import { instanceLabel } from '@capstan/challenge-instance/labels'
import { secretVariableKey } from '@capstan/challenge-instance/names'
import { pods, secrets } from '@capstan/kubernetes/built-in-kinds'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, createTestCluster, echoImage, eventually, operatorImage, type TestCluster } from '../testing/cluster.ts'

let cluster: TestCluster

beforeAll(async () => {
  cluster = await createTestCluster()
  await cluster.startOperator({ environment: { CAPSTAN_FLAG_FILE_IMAGE: operatorImage } })
})
afterAll(() => cluster?.close())

/** Tells on port 1337 what it is and may do, on 8080 by HTTP that it is healthy, a second after its start. */
const witness = `
const fs = require('node:fs'), net = require('node:net'), http = require('node:http')
const attempt = (work) => { try { return work() } catch (error) { return error.code } }
const fileOf = (path) => attempt(() => { const { uid, mode } = fs.statSync(path); return { uid, mode: (mode & 0o7777).toString(8), text: attempt(() => fs.readFileSync(path, 'utf8')) } })
const writes = (path) => attempt(() => { fs.writeFileSync(path, 'x'); return 'written' })
net.createServer((socket) => socket.end(JSON.stringify({
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

const reportOf = async (name: string) => {
  const { status } = await cluster.reason(name, 'Ready', 40_000)
  return JSON.parse(await ask(status!.address!.host, status!.address!.port, 'tell')) as Record<string, unknown>
}

describe.concurrent('an instance', () => {
  it('runs as its challenge asks for: program, user, variables, a flag in a file, and a root that cannot be written', async () => {
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
    // The Secret ends with the instance, and the instance tells nothing of what is in it.
    const secret = await eventually('the Secret belongs to the instance', 10_000, async () => {
      const found = await cluster.find(secrets, name)
      return found?.metadata.ownerReferences ? found : undefined
    })
    expect(secret.metadata.ownerReferences?.[0]?.name).toBe(name)
    const instance = JSON.stringify(await cluster.reason(name, 'Ready', 1_000))
    expect(instance).not.toContain('hidden')
    expect(instance).not.toContain('flag{file}')
  })

  it('has a flag that root owns out of its Secret, beside the variable', async () => {
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

  it('is not answering before its path does, once its time is over', async () => {
    const name = 'ci-late'
    await start({ container: { readiness: { path: '/ready' }, startTimeoutSeconds: 2 } }, { name })
    const { status } = await cluster.reason(name, 'NotAnswering', 20_000)
    expect(JSON.stringify(status?.conditions)).toContain('/ready on port 1337 is not answered')
  })

  it('of an earlier version is taken as it is, and nothing is added', async () => {
    const name = 'ci-earlier'
    const { spec } = await cluster.create({}, { name, flag: 'flag{old}' })
    expect(spec).not.toHaveProperty('container')
    expect(spec.flag).toEqual({ secretName: name, environmentNames: ['FLAG'] })
    await cluster.reason(name, 'Ready', 30_000)
    // Its end may be moved, as always.
    await cluster.moveEnd(name, 600_000)
    expect((await cluster.find(pods, name))?.status?.containerStatuses?.[0]?.restartCount).toBe(0)
  })
})

describe('the definition refuses', () => {
  const withFile = (path: string) => ({
    flag: { secretName: 'ci-x', environmentNames: [], file: { path, mode: '0444', owner: 0 } },
  })
  it.each<[string, Partial<ChallengeInstanceSpec>]>([
    ['root for the profile Restricted', { container: { user: 0 } }],
    ['the entry among further ports', { container: { furtherPorts: [1337] } }],
    ['readiness on a port that is not open', { container: { readiness: { port: 9000 } } }],
    ['a file outside of the container', withFile('/home/../../etc/flag')],
    ['a file of the system', withFile('/proc/flag')],
    ['a mode that is none', { flag: { ...withFile('/flag').flag, file: { path: '/flag', mode: '4755', owner: 0 } } }],
    [
      'a file in the place of a folder',
      { ...withFile('/scratch'), container: { writablePaths: [{ path: '/scratch', sizeMb: 1 }] } },
    ],
    ['a file of another’s Secret', { flag: { ...withFile('/flag').flag, secretName: 'ci-other' } }],
    ['a folder without room', { container: { writablePaths: [{ path: '/scratch', sizeMb: 0 }] } }],
    ['the team’s number as a variable', { container: { environment: [{ name: 'TEAM_ID', value: '1' }] } }],
    ['a name of no variable', { container: { secretEnvironment: ['A B'] } }],
    ['a user that there cannot be', { container: { user: -1 } }],
  ])('%s', async (_what, spec) => {
    await expect(cluster.create({ image: echoImage, ...spec }, { name: 'ci-x' })).rejects.toMatchObject({ status: 422 })
  })

  it('a change of what runs', async () => {
    const { metadata } = await cluster.create({ container: { args: ['one'] } })
    const change = (container: object) =>
      cluster.client.patchMerge(challengeInstances, cluster.namespace, metadata.name, { spec: { container } })
    await expect(change({ args: ['two'] })).rejects.toMatchObject({ status: 422 })
  })
})
