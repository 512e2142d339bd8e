import type { Operation } from '@capstan/contract/operation'
import { Ajv, type ValidateFunction } from 'ajv'
import formatsPlugin from 'ajv-formats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../app.ts'
import { ableActor, callNames, operationOf, requestOf, send, usesUp } from './requests.ts'
import { createWorld, type World } from './world.ts'

let context: TestApp
let world: World
let wasChanged = false
beforeAll(async () => {
  context = await startTestApp()
  world = await createWorld(context)
})
afterAll(() => context.close())

const ajv = new Ajv({ strict: false, allErrors: true, allowUnionTypes: true })
formatsPlugin.default(ajv, ['uuid', 'date-time', 'email', 'int32', 'int64', 'double'])
ajv.addFormat('password', true)

type Schema = Record<string, unknown>
const isRecord = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The schema, refusing members it does not name: what is not in the contract does not leave. */
const closed = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(closed)
  if (!isRecord(schema)) return schema
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  return isRecord(schema.properties) && schema.additionalProperties === undefined
    ? { ...copy, additionalProperties: false }
    : copy
}

const validatorOf = ({ response }: Operation): ValidateFunction => ajv.compile(closed(response) as Schema)

test.each(callNames)('%s answers in the shape of the contract', async (name) => {
  const operation = operationOf(name)
  const actor = ableActor(name)
  if (wasChanged) world = await createWorld(context)
  wasChanged = usesUp(name)
  const answer = await send(world.clients[actor], operation, await requestOf(name, world, context, actor))
  expect([answer.statusCode, answer.statusCode === 200 ? '' : answer.body]).toEqual([200, ''])
  if (!operation.response) {
    if (operation.download) expect(answer.rawPayload.length).toBeGreaterThan(0)
    else expect(answer.body).toBe('')
    return
  }
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  const validate = validatorOf(operation)
  const body: unknown = answer.json()
  validate(body)
  expect(validate.errors ?? []).toEqual([])
  // An empty list would prove nothing about its items.
  const list = isRecord(body) && 'data' in body && 'total' in body ? body.data : body
  if (Array.isArray(list)) expect(list.length).toBeGreaterThan(0)
})
