import { operations, ownOperations } from '@capstan/contract/operations'
import { problems } from '@capstan/contract/problems'
import fc from 'fast-check'
import type { Response } from 'light-my-request'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../app.ts'
import { isFullRun, sampleTestCases } from '../full-run.ts'
import { createDatabaseFingerprint } from './fingerprint.ts'
import {
  addressOfRequest,
  type CallInput,
  type CallName,
  callNames,
  createValidRequest,
  findPermittedRole,
  operationOfCall,
} from './requests.ts'
import { createTestWorld, type World } from './world.ts'

/**
 * Seed of the random requests. `CAPSTAN_FUZZ_SEED=… CAPSTAN_FUZZ_RUNS=…` set seed and number. A failure prints the seed and the
 * smallest failing request.
 */
const seed = Number(process.env.CAPSTAN_FUZZ_SEED ?? 20_261)
const runsPerCall = Number(process.env.CAPSTAN_FUZZ_RUNS ?? (isFullRun ? 10 : 2))

let context: TestApp
let world: World
let fingerprint: () => Promise<string>
beforeAll(async () => {
  context = await startTestApp({ config: { maxAttachmentBytes: 100_000, publicOrigin: 'http://localhost' } })
  world = await createTestWorld(context)
  fingerprint = await createDatabaseFingerprint(context)
})
afterAll(() => context.close())

/** Placeholder value. It means that the test removes a member of the body instead of changing it. */
const absent = Symbol('absent')

// biome-ignore format: a list
const nasty: readonly unknown[] = [
  absent, null, true, false, 0, -1, 1.5, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, 1e308, -1e308, 5e-324,
  '', ' ', 'NaN', 'Infinity', '-1', '1e400', '0x10', '١٢', 'null', '[]', '{}',
  '\u0000', 'a\u0000b', '\ud800', 'a\udfff', '👩‍👩‍👧‍👦', '\u202Eevil\u202C', 'مرحبا بالعالم', 'Z̸̛̗a̶l̵g̷o̶', '\uFEFF',
  '<b>bold</b>', '"><img src=x onerror=alert(1)>', '=HYPERLINK("http://x")',
  '\r\nSet-Cookie: a=b', "'; drop table users; --", '%s%n', '../../etc/passwd', '{{7*7}}', '<script>alert(1)</script>',
  'a@b@c', '@', 'x@y', '2024-13-45T99:99:99Z', '0000-00-00T00:00:00Z', '275760-09-13T00:00:00.001Z',
  '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999+23:59',
  [], [null], [[]], ['\u0000'], {}, { length: 1 }, { toString: 1 }, JSON.parse('{"__proto__":{"admin":true}}'),
  { constructor: { prototype: {} } },
]

function nested(opening: string, core: string, closing: string) {
  return (depth: number) => JSON.parse(opening.repeat(depth) + core + closing.repeat(depth)) as unknown
}

const hostile: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...nasty) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.integer({ min: 100, max: 20_000 }).map((length) => '𝕏'.repeat(length)) },
  { weight: 1, arbitrary: fc.integer({ min: 5, max: 2_000 }).map(nested('[', '', ']')) },
  { weight: 1, arbitrary: fc.integer({ min: 5, max: 500 }).map(nested('{"a":', '1', '}')) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
)

/** Returns the fault of a response. A failure must have a code of the catalog in its body and must not be an internal error. */
function isExpected(answer: Response): string {
  if (answer.statusCode < 300 || answer.statusCode === 304) return ''
  const found = `${answer.statusCode} ${answer.body.slice(0, 300)}`
  if (answer.statusCode >= 500 || answer.statusCode < 400) return found
  try {
    const { title, status, code } = answer.json<{ title: unknown; status: unknown; code: keyof typeof problems }>()
    const known = problems[code]
    const wireStatus = 'wireStatus' in known ? known.wireStatus : known.status
    const isRight = typeof title === 'string' && title !== '' && status === wireStatus && answer.statusCode === known.status
    return isRight ? '' : found
  } catch {
    return found
  }
}

type Raw = Readonly<{
  url: string
  payload?: string | Buffer
  headers?: Record<string, string>
}>
/** Sends a request and ignores the cookies of the response, so that the caller remains signed in. */
function ask(name: CallName, { url, payload, headers }: Raw) {
  return context.app.inject({
    method: operationOfCall(name).method,
    url,
    cookies: Object.fromEntries(world.clients[findPermittedRole(name)].cookies),
    ...(payload !== undefined && { payload }),
    ...(headers && { headers }),
  })
}
const json = { 'content-type': 'application/json' }

/**
 * Returns the paths to mutate in a body: the body itself and its members. If the body is a list, its first item and the members of
 * this item are included.
 */
function placesOf(body: unknown, schema: unknown): string[][] {
  const { properties, items } = (schema ?? {}) as { properties?: object; items?: unknown }
  const members = Object.keys(properties ?? {}).map((name) => [name])
  const inner = Array.isArray(body) ? placesOf(body[0], items).map((path) => ['0', ...path]) : []
  return [[], ...members, ...inner]
}
function replaced(body: unknown, path: readonly string[], value: unknown): unknown {
  const [head, ...rest] = path
  if (head === undefined) return value
  if (Array.isArray(body)) return [replaced(body[0], rest, value), ...body.slice(1)]
  const entries = Object.entries((body ?? {}) as object).filter(([name]) => name !== head)
  const next = replaced((body as Record<string, unknown> | undefined)?.[head], rest, value)
  return Object.fromEntries(next === absent ? entries : [...entries, [head, next]])
}

/** Returns the changed tables with their rows before and after. */
function changesBetween(before: string, after: string): string {
  const lines = after.split('\n')
  return before
    .split('\n')
    .flatMap((line, index) => (line === lines[index] ? [] : [`${line} -> ${lines[index]}`]))
    .join(', ')
}

/** Checks that each response has the form of the contract, and that a refused request changed nothing. */
async function check(name: CallName, arbitrary: fc.Arbitrary<Raw>) {
  let before = await fingerprint()
  await fc.assert(
    fc.asyncProperty(arbitrary, async (raw) => {
      const answer = await ask(name, raw)
      const fault = isExpected(answer)
      if (fault) throw new Error(`${name} answered ${fault}`)
      const after = await fingerprint()
      const changes = changesBetween(before, after)
      before = after
      if (changes && answer.statusCode >= 400) throw new Error(`${name} answered ${answer.statusCode} and changed ${changes}`)
    }),
    { seed: seed + callNames.indexOf(name), numRuns: runsPerCall },
  )
}

async function goodInputs(name: CallName): Promise<CallInput> {
  return createValidRequest(name, world, context, findPermittedRole(name))
}

const withBody = callNames.filter((name) => operationOfCall(name).body)
test.each(withBody)(`the response to an invalid body of %s conforms to the contract (seed ${seed})`, async (name) => {
  const good = await goodInputs(name)
  const operation = operationOfCall(name)
  const url = addressOfRequest(operation, good)
  await check(
    name,
    fc.record({ path: fc.constantFrom(...placesOf(good.body, operation.body)), value: hostile }).map(({ path, value }) => {
      const body = replaced(good.body, path, value)
      return { url, headers: json, ...(body !== absent && { payload: JSON.stringify(body) }) }
    }),
  )
})

type Schema = Readonly<{
  type?: string | readonly string[]
  enum?: readonly unknown[]
  properties?: Readonly<Record<string, Schema>>
  patternProperties?: Readonly<Record<string, Schema>>
  items?: Schema
  anyOf?: readonly Schema[]
}>

/** Sets a value in a body at a path. Creates the missing parts of the path. */
type Put = (body: unknown, value: unknown) => unknown
function inMember(name: string, put: Put): Put {
  return (body, value) => {
    const members = (typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {}) as Record<string, unknown>
    return { ...members, [name]: put(members[name], value) }
  }
}
function inElement(put: Put): Put {
  return (body, value) => (Array.isArray(body) ? [put(body[0], value), ...body.slice(1)] : [put(undefined, value)])
}

function placesFor(schema: Schema | undefined, types: readonly string[]): Put[] {
  if (!schema) return []
  const members = Object.entries({
    ...schema.properties,
    ...(schema.patternProperties && { some: schema.patternProperties['^.*$']! }),
  })
  const isThis = [schema.type].flat().some((type) => type !== undefined && types.includes(type))
  return [
    ...(isThis ? [(_body: unknown, value: unknown) => value] : []),
    ...members.flatMap(([name, member]) => placesFor(member, types).map((put) => inMember(name, put))),
    ...placesFor(schema.items, types).map(inElement),
    ...(schema.anyOf ?? []).flatMap((option) => placesFor(option, types)),
  ]
}

test.each(sampleTestCases(withBody, 6))(
  'refuses text that cannot be stored and unbounded numbers at any place of %s',
  async (name) => {
    const good = await goodInputs(name)
    const schema = operationOfCall(name).body as Schema
    const url = addressOfRequest(operationOfCall(name), good)
    const before = await fingerprint()
    const texts = placesFor(schema, ['string']).flatMap((put) =>
      ['a\ud800b', '\udc00', 'a\u0000b'].map((text) => put(good.body, text)),
    )
    const numbers = placesFor(schema, ['integer', 'number']).flatMap((put) =>
      [2 ** 64, 1e308, -1e308, -(2 ** 64)].map((number) => put(good.body, number)),
    )
    for (const body of [...texts, ...numbers]) {
      const payload = JSON.stringify(body)
      const answer = await ask(name, { url, headers: json, payload })
      expect([payload, answer.statusCode, answer.json().code]).toEqual([payload, 400, 'request.invalid'])
    }
    expect(await fingerprint()).toBe(before)
  },
)

const withAddress = callNames.filter((name) => operationOfCall(name).params || operationOfCall(name).query)
function asText(value: unknown): string {
  return value === absent ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
}
/** Percent-encodes text. A lone surrogate becomes bytes that are not UTF-8. */
function encode(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80'
}

test.each(withAddress)(`the response of %s to an invalid path or query conforms to the contract (seed ${seed})`, async (name) => {
  const good = await goodInputs(name)
  const operation = operationOfCall(name)
  const names = (schema: unknown) => Object.keys((schema as { properties?: object } | undefined)?.properties ?? {})
  const places = [
    ...names(operation.params).map((field) => ({ field, place: 'params' as const })),
    ...names(operation.query).map((field) => ({ field, place: 'query' as const })),
  ]
  const payload = good.body === undefined ? {} : { payload: JSON.stringify(good.body), headers: json }
  await check(
    name,
    fc.record({ where: fc.constantFrom(...places), value: hostile }).map(({ where, value }) => {
      const text = encode(asText(value).slice(0, 1500))
      const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, field: string) =>
        where.place === 'params' && field === where.field ? text : encodeURIComponent(String(good.params?.[field])),
      )
      const query = { ...good.query, ...(where.place === 'query' && { [where.field]: text }) }
      const search = Object.entries(query)
        .map(([key, one]) => `${key}=${one}`)
        .join('&')
      // Send no body if a path segment is empty, because the path then leads to a different call.
      return { url: `${path}?${search}`, ...(path.includes('//') || path.endsWith('/') ? {} : payload) }
    }),
  )
})

const boundary = 'capstan-boundary'
function part(disposition: string, type: string, content: string) {
  return `--${boundary}\r\ncontent-disposition: ${disposition}\r\ncontent-type: ${type}\r\n\r\n${content}\r\n`
}
const multipart = { 'content-type': `multipart/form-data; boundary=${boundary}` }

test('refuses unreadable requests of every call and changes no data', async () => {
  world = await createTestWorld(context)
  const addresses = new Map<CallName, string>()
  for (const name of callNames) addresses.set(name, addressOfRequest(operationOfCall(name), await goodInputs(name)))
  const before = await fingerprint()
  const faults: string[] = []
  const expectRefusal = async (name: CallName, raw: Raw, statuses: readonly number[]) => {
    const answer = await ask(name, raw)
    const fault = isExpected(answer)
    // An upload of several files may contain no file. In this case the response is an empty list.
    const isNone = operationOfCall(name).upload?.many && answer.body === '[]'
    if (fault || !(isNone || statuses.includes(answer.statusCode)))
      faults.push(`${name} ${JSON.stringify(raw).slice(0, 120)}: ${answer.statusCode} ${answer.body.slice(0, 200)}`)
  }
  for (const name of withBody) {
    const url = addresses.get(name)!
    const text = '{"a":'
    await expectRefusal(name, { url, headers: json, payload: text }, [400])
    for (const number of ['NaN', '-Infinity', '0x10', '1_000'])
      await expectRefusal(name, { url, headers: json, payload: `{"id":${number}}` }, [400])
    await expectRefusal(name, { url, headers: json, payload: '['.repeat(100_000) }, [400, 413])
    await expectRefusal(name, { url, headers: json, payload: Buffer.from([0xff, 0xfe, 0x00]) }, [400])
    await expectRefusal(name, { url, headers: { 'content-type': 'text/plain' }, payload: '{}' }, [415])
    await expectRefusal(name, { url, headers: { 'content-type': 'application/xml' }, payload: '<a/>' }, [415])
    await expectRefusal(name, { url, headers: { 'content-type': 'nonsense' }, payload: 'x' }, [415])
    await expectRefusal(name, { url, headers: multipart, payload: part('form-data; name="a"', 'text/plain', 'x') }, [415])
  }
  const largeText = `"${'x'.repeat(10 * 1024 * 1024)}"`
  // Test only a sample, because bodies of 10 MB for all calls take half a minute.
  for (const name of sampleTestCases(withBody, 8))
    await expectRefusal(name, { url: addresses.get(name)!, headers: json, payload: largeText }, [413])
  for (const name of callNames.filter((one) => operationOfCall(one).upload)) {
    const url = addresses.get(name)!
    await expectRefusal(name, { url, headers: json, payload: '{}' }, [415])
    await expectRefusal(name, { url, headers: { 'content-type': 'multipart/form-data' }, payload: 'x' }, [400, 415])
    await expectRefusal(name, { url, headers: multipart, payload: '' }, [400])
    await expectRefusal(name, { url, headers: multipart, payload: 'no boundary in sight' }, [400])
    await expectRefusal(name, { url, headers: multipart, payload: `--${boundary}--\r\n` }, [400])
    const field = operationOfCall(name).upload?.field
    const head = `form-data; name="${field}"; filename="a.pdf"`
    await expectRefusal(
      name,
      { url, headers: multipart, payload: `${part(head, 'application/pdf', '')}--${boundary}--\r\n` },
      [400],
    )
    await expectRefusal(
      name,
      { url, headers: multipart, payload: part(head, 'application/pdf', '%PDF-cut off').slice(0, -1) },
      [400],
    )
    const large = part(head, 'application/pdf', 'x'.repeat(21 * 1024 * 1024))
    await expectRefusal(name, { url, headers: multipart, payload: `${large}--${boundary}--\r\n` }, [400, 413])
    await expectRefusal(
      name,
      { url, headers: multipart, payload: `${part(`form-data; name="${field}"`, 'text/plain', 'no file')}--${boundary}--\r\n` },
      [400],
    )
  }
  expect(faults).toEqual([])
  expect(await fingerprint()).toBe(before)
})

// biome-ignore format: a list
const fileNames = [
  '../../../etc/passwd', '..\\..\\windows\\system32', '/etc/passwd', 'C:\\boot.ini', '.', '..', '', ' ', 'a/b.txt', 'a%2Fb.txt', '%00',
  'a;b.txt', 'x'.repeat(5_000), '\u202Etxt.exe', '👩‍👩‍👧‍👦.zip', '<script>.svg', 'CON', 'a\tb.txt', '\ud800.txt', '.htaccess', 'résumé.pdf',
]

test('treats file names only as names: none leads to a path outside the store, and each stored file can be read', async () => {
  const { admin } = world.clients
  for (const name of fileNames) {
    const answer = await admin.upload('POST', '/api/assets', [
      { field: 'files', name: name.replaceAll('"', ''), content: `content of ${name.slice(0, 40)}` },
    ])
    expect([name.slice(0, 40), isExpected(answer)]).toEqual([name.slice(0, 40), ''])
    if (answer.statusCode !== 200) continue
    for (const stored of answer.json<{ hash: string; name: string }[]>()) {
      expect(['/', '\\', '\u0000'].filter((sign) => stored.name.includes(sign))).toEqual([])
      expect(['', '.', '..']).not.toContain(stored.name)
      const served = await admin.get(`/assets/${stored.hash}/${encodeURIComponent(stored.name.toWellFormed())}`)
      expect([served.statusCode, served.headers['content-disposition']?.toString().includes('\n')]).toEqual([200, false])
    }
  }
  expect(
    [...context.blobs.contents.keys()].filter((key) => !/^(files\/[0-9a-f]{64}|captures\/\d+\/\d+\/[\w.-]+)$/.test(key)),
  ).toEqual([])
})

test('answers 404 for file names that contain paths', async () => {
  const { own, clients, fileHash } = world
  const folder = `/api/game/captures/${own.runningId}/${own.participationId}`
  for (const name of fileNames.filter((one) => one.trim() !== '')) {
    const text = encode(name.slice(0, 400))
    for (const [client, url] of [[clients.monitor, `${folder}/${text}`]] as const) {
      const answer = await client.get(url)
      expect([url.slice(-40), isExpected(answer), answer.statusCode === 200 && !['.', '..'].includes(name)]).toEqual([
        url.slice(-40),
        '',
        false,
      ])
    }
    // The last part of an asset's address can be any name.
    const asset = await clients.visitor.get(`/assets/${fileHash}/${text}`)
    expect([name.slice(0, 40), isExpected(asset)]).toEqual([name.slice(0, 40), ''])
  }
})

test('tests all calls that have a body or an address with parameters', () => {
  const calls = Object.values({ ...operations, ...ownOperations })
  expect(withBody.length).toBe(calls.filter(({ tag, ...one }) => tag !== 'Proxy' && 'body' in one).length)
})
