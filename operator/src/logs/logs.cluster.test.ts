import { challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import type { ChallengeInstanceSpec } from '@capstan/challenge-instance/definition'
import { pathOfEventsRequest, type SentEvent } from '@capstan/challenge-instance/events-request'
import { type LogRequest, pathOfLogRequest } from '@capstan/challenge-instance/log-request'
import { findFreePort } from '@capstan/challenge-instance/testing/find-free-port'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { crashImage, createTestCluster, echoImage, type TestCluster, waitForValue } from '../testing/cluster.ts'

const token = 'a token of the tests'

let cluster: TestCluster
let leaderPort: number
let standbyPort: number

beforeAll(async () => {
  cluster = await createTestCluster()
  leaderPort = await findFreePort()
  standbyPort = await findFreePort()
  const environment = (port: number) => ({ CAPSTAN_OPERATOR_TOKEN: token, CAPSTAN_LOGS_PORT: String(port) })
  await cluster.startOperator({ environment: environment(leaderPort) })
  await cluster.startOperator({ environment: environment(standbyPort), identity: 'standby', standby: true })
})
afterAll(() => cluster?.close())

type Further = NonNullable<ChallengeInstanceSpec['containers']>[number]
const resources = { cpuTenths: 10, memoryMb: 128, storageMb: 64, pids: 64 }
const baseline = { resources, egress: 'None', profile: 'Baseline' } as const

/** Additional containers of an instance: a database that crashes repeatedly, and a bot whose image does not exist. */
const containers: Further[] = [
  { ...baseline, name: 'db', image: crashImage },
  { ...baseline, name: 'bot', image: 'registry.invalid/nothing:1' },
]
const talk = `
  require('net').createServer().listen(1337, () => console.log('listening'))
  setInterval(() => console.log('still here'), 1000)`

async function ask(request: Partial<LogRequest> & Pick<LogRequest, 'instance' | 'container'>, port = leaderPort) {
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort())
  const path = pathOfLogRequest({ tailLines: 1_000, follow: false, ...request })
  const headers = { authorization: `Bearer ${token}` }
  return { leaving, answer: await fetch(`http://127.0.0.1:${port}${path}`, { headers, signal: leaving.signal }) }
}

it('shows the state and the output of each container of an instance, from every replica', async () => {
  const { metadata } = await cluster.create({
    security: { profile: 'Baseline' },
    container: { name: 'page', command: ['node', '-e', talk] },
    containers,
  })
  const { name } = metadata
  const states = await waitForValue('each container has its reason', async () => {
    const all = (await cluster.find(challengeInstances, name))?.status?.containers ?? []
    const reasons = Object.fromEntries(all.map((container) => [container.name, container.reason]))
    const isSettled = reasons.page === 'Ready' && reasons.db === 'CrashLooping' && reasons.bot === 'ImagePullFailed'
    return isSettled ? Object.fromEntries(all.map((container) => [container.name, container])) : undefined
  })
  expect(states.db?.restarts).toBeGreaterThanOrEqual(1)
  expect(states.db?.lastExit).toContain('exit code 3')
  expect(states.page).toMatchObject({ ready: true, restarts: 0 })
  for (const port of [leaderPort, standbyPort]) {
    expect(await (await ask({ instance: name, container: 'db' }, port)).answer.text()).toBe('nothing to serve\n')
    expect(await (await ask({ instance: name, container: 'page' }, port)).answer.text()).toMatch(/^listening\n/)
    expect(await (await ask({ instance: name, container: 'bot' }, port)).answer.text()).toBe('')
    expect((await ask({ instance: name, container: 'challenge' }, port)).answer.status).toBe(404)
    expect((await ask({ instance: 'ci-unknown', container: 'page' }, port)).answer.status).toBe(404)
  }
  const eventsOf = async (container: string) => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(`http://127.0.0.1:${standbyPort}${pathOfEventsRequest({ instance: name, container })}`, {
      headers,
    })
    return answer.ok ? ((await answer.json()) as SentEvent[]).map(({ reason }) => reason) : answer.status
  }
  // Kubernetes writes an event after the change of state that the event describes.
  const writtenEvents = [
    ['page', 'Scheduled'],
    ['page', 'Started'],
    ['db', 'BackOff'],
    ['bot', 'Failed'],
  ] as const
  for (const [container, reason] of writtenEvents)
    await waitForValue(`${container} has the event ${reason}`, async () => {
      const reasons = await eventsOf(container)
      return Array.isArray(reasons) && reasons.includes(reason) ? true : undefined
    })
  expect(await eventsOf('capture')).toBe(404)
  await cluster.remove(challengeInstances, name)
})

it('follows a container through its crashes, and ends with the instance', async () => {
  const { metadata } = await cluster.create({ image: crashImage, security: { profile: 'Baseline' } })
  const { name } = metadata
  await waitForValue('the operator knows the instance', async () =>
    (await ask({ instance: name, container: 'challenge' })).answer.status === 200 ? true : undefined,
  )
  const { answer } = await ask({ instance: name, container: 'challenge', follow: true })
  let text = ''
  let isOver = false
  void (async () => {
    for await (const piece of answer.body as AsyncIterable<Uint8Array>) text += Buffer.from(piece).toString()
    isOver = true
  })()
  await waitForValue('the output of three runs arrives', async () => (text.split('\n').length > 3 ? true : undefined))
  expect(new Set(text.trimEnd().split('\n'))).toEqual(new Set(['nothing to serve']))
  await cluster.remove(challengeInstances, name)
  await waitForValue('the output ends', async () => (isOver ? true : undefined))
})

it('sends only the requested number of last lines, and then each new line immediately', async () => {
  const { metadata } = await cluster.create({ image: echoImage, container: { command: ['node', '-e', talk] } })
  const { name } = metadata
  await cluster.waitForReason(name, 'Ready')
  const { answer, leaving } = await ask({ instance: name, container: 'challenge', follow: true, tailLines: 0 })
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
  expect(Buffer.from((await reader.read()).value ?? []).toString()).toMatch(/^(still here\n)+$/)
  leaving.abort()
  await expect
    .poll(() =>
      reader.read().then(
        () => false,
        () => true,
      ),
    )
    .toBe(true)
  await cluster.remove(challengeInstances, name)
})
