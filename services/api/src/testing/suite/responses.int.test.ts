import type { Operation } from '@capstan/contract/operation'
import { Ajv, type ValidateFunction } from 'ajv'
import formatsPlugin from 'ajv-formats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../app.ts'
import { sampleTestCases } from '../full-run.ts'
import {
  type CallName,
  callNames,
  createValidRequest,
  findPermittedRole,
  needsNewTestWorld,
  operationOfCall,
  sendRequest,
} from './requests.ts'
import { createTestWorld, type World } from './world.ts'

let context: TestApp
let world: World
let wasChanged = false
beforeAll(async () => {
  context = await startTestApp({ config: { publicOrigin: 'http://localhost' } })
  world = await createTestWorld(context)
})
afterAll(() => context.close())

const ajv = new Ajv({ strict: false, allErrors: true, allowUnionTypes: true })
formatsPlugin.default(ajv, ['uuid', 'date-time', 'email', 'int32', 'int64', 'double'])
ajv.addFormat('password', true)

type Schema = Record<string, unknown>
function isRecord(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns a schema that refuses undocumented members. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (!isRecord(schema)) return schema
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  return isRecord(schema.properties) && schema.additionalProperties === undefined
    ? { ...copy, additionalProperties: false }
    : copy
}

function validatorOf({ response }: Operation): ValidateFunction {
  return ajv.compile(closed(response) as Schema)
}

/** Calls that support conditional requests: the response is 304 if nothing changed. */
const conditional: readonly CallName[] = [
  'getScoreboard',
  'getPlayerBoard',
  'listNotices',
  'listGames',
  'listAllGames',
  'getClientConfig',
  'getTeamProfile',
  'getUserProfile',
  'listClosedTeams',
  'listChallengeMarks',
  'getPastScoreboard',
  'getLeadingBoard',
  'getChallengeSolvers',
  'getCtftimeFeed',
  'getGameCalendar',
  'getPostFeed',
  'getNoticeFeed',
  'getScoreboardEmbed',
  'getGameBadge',
  'downloadChain',
]

test.each(conditional)('sends %s with a weak ETag and no-cache, and answers 304 if unchanged', async (name) => {
  const actor = findPermittedRole(name)
  const ask = async (headers: Record<string, string>) =>
    sendRequest(world.clients[actor], operationOfCall(name), await createValidRequest(name, world, context, actor), headers)
  const first = await ask({})
  const { etag, 'cache-control': cacheControl } = first.headers
  expect([first.statusCode, etag, cacheControl]).toEqual([
    200,
    expect.stringMatching(/^W\/"[\w-]+"$/),
    expect.stringMatching(/^private, no-cache$|^no-cache$/),
  ])
  const again = await ask({ 'if-none-match': `"other", ${etag}` })
  expect([again.statusCode, again.body, again.headers.etag, again.headers['cache-control']]).toEqual([
    304,
    '',
    etag,
    cacheControl,
  ])
  expect((await ask({ 'if-none-match': 'W/"other"' })).statusCode).toBe(200)
})

test.each(sampleTestCases(callNames, 6))('answers %s in the shape of the contract', async (name) => {
  const operation = operationOfCall(name)
  const actor = findPermittedRole(name)
  if (wasChanged) world = await createTestWorld(context)
  wasChanged = needsNewTestWorld(name)
  const answer = await sendRequest(world.clients[actor], operation, await createValidRequest(name, world, context, actor))
  expect([answer.statusCode, answer.statusCode === 200 ? '' : answer.body]).toEqual([200, ''])
  if (!operation.response) {
    if (operation.download) expect(answer.rawPayload.length).toBeGreaterThan(0)
    else expect(answer.body).toBe('')
    return
  }
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  if (!conditional.includes(name)) expect([answer.headers.etag, answer.headers['cache-control']]).toEqual([undefined, undefined])
  const validate = validatorOf(operation)
  const body: unknown = answer.json()
  validate(body)
  expect(validate.errors ?? []).toEqual([])
  // The list must not be empty. Otherwise the test would prove nothing about its items.
  const list = isRecord(body) && 'data' in body && 'total' in body ? body.data : body
  if (Array.isArray(list)) expect(list.length).toBeGreaterThan(0)
})
