import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Limits } from '@capstan/contract/limits'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge } from '../../testing/organizing-factories.ts'

let context: TestApp
let admin: TestClient
beforeAll(async () => {
  context = await startTestApp()
  await context.app.listen({ host: '127.0.0.1', port: 0 })
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(() => context.close())

/** Starts a test instance. @returns the ids of the instance and of its challenge */
async function aTest({ db } = context, client = admin) {
  const { gameId, id } = await aChallenge(db, { type: 'StaticContainer', containerImage: 'shop:1', port: 80 })
  const path = `/api/edit/games/${gameId}/challenges/${id}/container`
  const { entry } = (await client.post(path)).json<{ entry: string }>()
  return { id: entry, path }
}

function logPath(id: string, query = '') {
  return `/api/admin/instances/${id}/containers/challenge/log${query}`
}

/** Opens a log over a socket, and collects its output. */
async function follow({ cookies }: TestClient, id: string, { app, runtime } = context) {
  const { port } = app.server.address() as AddressInfo
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const asking = request({ host: '127.0.0.1', port, path: logPath(id, '?follow=true&tailLines=5'), headers: { cookie } }).end()
  asking.on('error', () => {})
  onTestFinished(() => void asking.destroy())
  const [answer] = await once(asking, 'response')
  let text = ''
  let isOver = false
  answer.on('error', () => {})
  answer.on('data', (piece: Buffer) => {
    text += piece.toString()
  })
  answer.on('close', () => {
    isOver = true
  })
  const log = runtime.logs.at(-1)!
  return { answer, log, leave: () => asking.destroy(), text: () => text, isOver: () => isOver }
}

test('the report of a test contains the instance id, and admins see the containers of this instance', async () => {
  const { id, path } = await aTest()
  expect((await admin.get(`${path}/log`)).json()).toMatchObject({ instanceId: id })
  const list = await admin.get(`/api/admin/instances/${id}/containers`)
  const container = { name: 'challenge', isReady: true, reason: 'Ready', message: 'The challenge is running.' }
  const state = { ...container, restarts: 0, lastExit: null, since: null, usage: null }
  expect(list.json()).toEqual({
    ...{ hasLogs: true, hasEvents: true, hasTerminal: true, isTest: true, isMeasured: true },
    containers: [state],
  })
  await admin.delete(path)
  expect((await admin.get(`${path}/log`)).json()).toMatchObject({ instanceId: null })
  expect((await admin.get(`/api/admin/instances/${id}/containers`)).json()).toMatchObject({ code: 'instance.unknown' })
  expect((await admin.get(logPath(id))).json()).toMatchObject({ code: 'instance.unknown' })
})

test('admins see the usage and the limits of each container, and whether the usage is measured', async () => {
  const { id } = await aTest()
  const read = async () => (await admin.get(`/api/admin/instances/${id}/containers`)).json()
  context.runtime.usages.set(id, { cpuMillicores: 12, memoryBytes: 34_000_000 })
  context.clock.advanceMs(5_000)
  const limits = { cpuLimitMillicores: 100, memoryLimitBytes: 67_108_864 }
  expect(await read()).toMatchObject({
    isMeasured: true,
    containers: [{ usage: { cpuMillicores: 12, memoryBytes: 34_000_000, ...limits } }],
  })
  vi.spyOn(context.runtime.runtime, 'readUsage').mockResolvedValueOnce(undefined)
  context.clock.advanceMs(5_000)
  expect(await read()).toMatchObject({ isMeasured: false, containers: [{ usage: null }] })
  context.runtime.usages.clear()
})

test('admins read the events of a container; an unknown container or a failed query returns a problem', async () => {
  const { id } = await aTest()
  const event = {
    type: 'Warning',
    reason: 'BackOff',
    message: 'Back-off restarting',
    count: 7,
    lastAt: '2030-01-01T00:00:00.000Z',
  }
  context.runtime.events.push({ ...event, type: 'Warning' })
  const read = async (name = 'challenge') => (await admin.get(`/api/admin/instances/${id}/containers/${name}/events`)).json()
  expect(await read()).toEqual([event])
  expect(await read('db')).toMatchObject({ code: 'instance.unknown' })
  const { containers } = context.runtime.runtime
  vi.spyOn(containers!, 'listEvents').mockRejectedValueOnce(new Error('The operator did not answer'))
  expect(await read()).toMatchObject({ code: 'instance.events-unavailable' })
})

test('the api sends the last output lines of a container, but does not log the lines', async () => {
  const { id } = await aTest()
  const response = await admin.get(logPath(id), undefined, { 'accept-encoding': 'gzip' })
  expect([response.statusCode, response.body]).toEqual([200, 'listening\n'])
  expect(response.headers).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'private, no-store, no-transform',
  })
  expect(response.headers).not.toHaveProperty('content-encoding')
  expect(context.runtime.logs.at(-1)).toMatchObject({ id, options: { tailLines: Limits.maxLogTailLines, follow: false } })
  const lines = context.logLines.filter(({ message }) => message.includes(id))
  expect(lines.map(({ message }) => message)).toContain(`Opened the output of container "challenge" of instance ${id} (shop:1)`)
  expect(JSON.stringify(context.logLines)).not.toContain('listening')
})

test('a log is refused for an unknown container, too many lines, or output that cannot be opened', async () => {
  const { id } = await aTest()
  expect((await admin.get(`/api/admin/instances/${id}/containers/db/log`)).json()).toMatchObject({ code: 'instance.unknown' })
  expect((await admin.get(logPath(id, '?tailLines=1001'))).json()).toMatchObject({ code: 'request.invalid' })
  const { containers } = context.runtime.runtime
  vi.spyOn(containers!, 'openLog').mockRejectedValueOnce(new Error('The operator did not answer'))
  expect((await admin.get(logPath(id))).json()).toMatchObject({ code: 'instance.log-unavailable' })
})

test('a log sends new output at once, and the source is closed when the admin disconnects', async () => {
  const { id } = await aTest()
  const { log, text, leave } = await follow(admin, id)
  await expect.poll(() => text() === 'listening\n').toBe(true)
  log.output.write('connection from 10.0.0.1\n')
  await expect.poll(() => text().endsWith('connection from 10.0.0.1\n')).toBe(true)
  leave()
  await expect.poll(() => log.options.signal.aborted && log.output.destroyed).toBe(true)
})

test('an open log ends when the session of the admin has ended', async () => {
  const { client: leaving } = await signInAsNewUser(context, 'Admin')
  const { id } = await aTest()
  const { log, text, isOver } = await follow(leaving, id)
  await expect.poll(() => text() === 'listening\n').toBe(true)
  await leaving.post('/api/account/logout')
  context.clock.advanceMs(60_000)
  log.output.write('secret of later\n')
  await expect.poll(isOver).toBe(true)
  expect(text()).toBe('listening\n')
  await expect.poll(() => log.output.destroyed).toBe(true)
})

test('an open log ends after the maximum time', async () => {
  const { id } = await aTest()
  const { log, isOver, answer } = await follow(admin, id)
  context.clock.advanceMs(Limits.openLogMinutes * 60_000)
  log.output.write('too late\n')
  await expect.poll(isOver).toBe(true)
  expect(answer.complete).toBe(true)
})

test('the api closes the log stream of a container when the api stops', async () => {
  const other = await startTestApp()
  await other.app.listen({ host: '127.0.0.1', port: 0 })
  const { client } = await signInAsNewUser(other, 'Admin')
  const { id } = await aTest(other, client)
  const { isOver, log } = await follow(client, id, other)
  await other.close()
  await expect.poll(isOver).toBe(true)
  expect(log.output.destroyed).toBe(true)
})

test('an admin who has opened the maximum number of logs does not prevent another admin from opening a log', async () => {
  const { id } = await aTest()
  await expect.poll(() => context.runtime.logs.every(({ options }) => options.signal.aborted)).toBe(true)
  const { client: greedy } = await signInAsNewUser(context, 'Admin')
  const open = []
  for (let count = 0; count < Limits.maxOpenLogsPerAdmin; count += 1) open.push(await follow(greedy, id))
  expect((await greedy.get(logPath(id))).json()).toMatchObject({ code: 'request.rate-limited' })
  expect((await admin.get(logPath(id))).statusCode).toBe(200)
  for (const { leave } of open) leave()
  await expect.poll(async () => (await greedy.get(logPath(id))).statusCode === 200).toBe(true)
})

test('logs above the maximum number are refused until another log is closed', async () => {
  const { id } = await aTest()
  await expect.poll(() => context.runtime.logs.every(({ options }) => options.signal.aborted)).toBe(true)
  const admins = [admin]
  while (admins.length * Limits.maxOpenLogsPerAdmin < Limits.maxOpenLogs)
    admins.push((await signInAsNewUser(context, 'Admin')).client)
  const open = []
  for (const each of admins) for (let count = 0; count < Limits.maxOpenLogsPerAdmin; count += 1) open.push(await follow(each, id))
  const { client: another } = await signInAsNewUser(context, 'Admin')
  expect((await another.get(logPath(id))).json()).toMatchObject({ code: 'request.rate-limited' })
  const refused = await admin.get(logPath(id))
  expect(refused.json()).toMatchObject({ code: 'request.rate-limited' })
  open[0]?.leave()
  await expect.poll(async () => (await admin.get(logPath(id))).statusCode === 200).toBe(true)
})
