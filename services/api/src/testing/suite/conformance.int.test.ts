import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../app.ts'
import { sampleTestCases } from '../full-run.ts'
import { documentedCalls } from './contract-document.ts'
import { expectRefusal, impossible, type Refusable } from './refusals.ts'
import {
  addressOfRequest,
  type CallName,
  callNames,
  createValidRequest,
  findPermittedRole,
  needsNewTestWorld,
  operationOfCall,
  sendRequest,
} from './requests.ts'
import { createTestWorld, roles, type World } from './world.ts'

let context: TestApp
let world: World
beforeAll(async () => {
  context = await startTestApp({ config: { maxAttachmentBytes: 100_000, publicOrigin: 'http://localhost' } })
  world = await createTestWorld(context)
})
afterAll(() => context.close())

function documented(name: CallName) {
  return documentedCalls.get(name)!
}

/** Operations that are WebSockets. `proxy-answers.test.ts` and `terminals.int.test.ts` test them. */
const sockets = ['proxyInstance', 'proxyTestContainer', 'openTerminal']

test('calls every documented operation', () => {
  expect([...documentedCalls.keys()].filter((id) => !sockets.includes(id)).sort()).toEqual([...callNames].sort())
})

describe('a success', () => {
  let wasChanged = false
  test.each(sampleTestCases(callNames, 4))('request and successful response of %s conform to the document', async (name) => {
    if (wasChanged) world = await createTestWorld(context)
    wasChanged = needsNewTestWorld(name)
    const actor = findPermittedRole(name)
    const input = await createValidRequest(name, world, context, actor)
    expect(documented(name).requestFaults(input)).toEqual([])
    const answer = await sendRequest(world.clients[actor], operationOfCall(name), input)
    expect([answer.statusCode, answer.statusCode === 200 ? '' : answer.body]).toEqual([200, ''])
    expect(documented(name).responseFaults(answer, { complete: true })).toEqual([])
  })
})

describe('a refusal', () => {
  const rows = callNames.flatMap((name) =>
    documented(name)
      .refusals.filter((status): status is Refusable => [400, 401, 403, 404].includes(status))
      .filter((status) => !(`${name} ${status}` in impossible))
      .map((status) => ({ name, status })),
  )
  test.each(sampleTestCases(rows, 4))('the refusal of $name with $status conforms to the document', async ({ name, status }) => {
    const answer = await expectRefusal(name, status, world, context)
    expect([answer.statusCode, answer.body]).toEqual([status, answer.body])
    expect(documented(name).responseFaults(answer)).toEqual([])
  })

  test('each refusal in the list `impossible` exists in the OpenAPI document', () => {
    const known = callNames.flatMap((name) => documented(name).refusals.map((status) => `${name} ${status}`))
    expect(Object.keys(impossible).filter((entry) => !known.includes(entry))).toEqual([])
  })
})

describe('too many calls', () => {
  let limited: TestApp
  let crowded: World
  const remoteAddress = '203.0.113.7'
  beforeAll(async () => {
    limited = await startTestApp({
      config: { rateLimits: true, publicOrigin: 'http://localhost' },
      deps: { sleep: async () => {} },
    })
    crowded = await createTestWorld(limited)
    for (const role of roles)
      for (let call = 0; call < 210; call++) await crowded.clients[role].inject({ url: '/api/captcha', remoteAddress })
  })
  afterAll(() => limited.close())

  test.each(sampleTestCases(callNames, 4))('%s refuses too many calls with 429 as documented', async (name) => {
    const actor = findPermittedRole(name)
    const operation = operationOfCall(name)
    const url = addressOfRequest(operation, await createValidRequest(name, crowded, limited, actor))
    const answer = await crowded.clients[actor].inject({ method: operation.method, url, remoteAddress })
    expect([answer.statusCode, answer.body]).toEqual([429, answer.body])
    expect(documented(name).responseFaults(answer)).toEqual([])
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  })
})

describe('a defect', () => {
  let broken: TestApp
  let lost: World
  const prepared = new Map<CallName, Awaited<ReturnType<typeof createValidRequest>>>()
  beforeAll(async () => {
    broken = await startTestApp({ config: { publicOrigin: 'http://localhost' } })
    lost = await createTestWorld(broken)
    for (const name of callNames) prepared.set(name, await createValidRequest(name, lost, broken, findPermittedRole(name)))
    await broken.sql.unsafe('drop schema public cascade')
  })
  afterAll(() => broken.close())

  test.each(
    sampleTestCases(
      callNames.filter((name) => !(`${name} 500` in impossible)),
      4,
    ),
  )('%s answers an internal error with 500 as documented', async (name) => {
    const answer = await sendRequest(lost.clients[findPermittedRole(name)], operationOfCall(name), prepared.get(name)!)
    expect([answer.statusCode, answer.json().title]).toEqual([500, 'Unknown error'])
    expect(documented(name).responseFaults(answer)).toEqual([])
  })
})
