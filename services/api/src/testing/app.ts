import { randomBytes } from 'node:crypto'
import { addAbortSignal, PassThrough, Readable } from 'node:stream'
import { createInProcessBus } from '@capstan/bus/in-process-bus'
import { challengeContainer } from '@capstan/challenge-instance/names'
import type { ContainerEvent } from '@capstan/contract/admin'
import type { RealtimeMessage } from '@capstan/contract/events'
import type { StatementCounter } from '@capstan/db/client'
import type { StatementObserver } from '@capstan/db/observed'
import { createTestDatabase } from '@capstan/db/testing/test-database'
import type { FastifyInstance, InjectOptions } from 'fastify'
import type { WebSocket } from 'ws'
import { buildApp } from '../app.ts'
import type { AppDeps } from '../app-types.ts'
import { createGatewayBackend } from '../instances/internal/gateway-backend.ts'
import {
  describeSingleContainer,
  type InstanceRuntime,
  type InstanceSpec,
  type LogOptions,
  type ObservedInstance,
  type ObservedState,
  type ResourceAmount,
  resourceLimitsOf,
} from '../instances/lifecycle/runtime.ts'
import { createTestProviderClient } from '../people/sign-in/testing/provider-client.ts'
import { type ApiConfig, readConfig } from '../server/config.ts'
import type { BlobStore } from '../server/files/blob-store.ts'
import { createImageConverter } from '../server/files/images.ts'
import type { Clock } from '../server/http/clock.ts'
import type { PlatformLogLine } from '../server/logs/platform-log.ts'
import type { Mail, Mailer } from '../server/mail/mailer.ts'
import { createFencedFetch } from '../server/outgoing/fenced-fetch.ts'
import { requiredEnvironment } from './environment.ts'
import { passwords } from './passwords.ts'

/** Creates a clock that moves only when a test advances it. */
export function createTestClock(start: Date = new Date()) {
  let now = start.getTime()
  return {
    now: () => new Date(now),
    advanceMs(ms: number) {
      now += ms
    },
    set(instant: Date) {
      now = instant.getTime()
    },
  } satisfies Clock & Record<string, unknown>
}

export function createMemoryBlobStore(): BlobStore & { readonly contents: Map<string, Buffer> } {
  const contents = new Map<string, Buffer>()
  const writtenAt = new Map<string, Date>()
  return {
    contents,
    async put(key, content) {
      writtenAt.set(key, new Date())
      contents.set(key, Buffer.concat(await Array.fromAsync(content, (chunk) => Buffer.from(chunk))))
    },
    async get(key, range) {
      const bytes = contents.get(key)
      if (!bytes) throw new Error(`Nothing is stored under ${key}`)
      return Readable.from([range ? bytes.subarray(range.start, range.end + 1) : bytes])
    },
    async delete(key) {
      contents.delete(key)
    },
    async exists(key) {
      return contents.has(key)
    },
    async move(from, to) {
      const bytes = contents.get(from)
      if (!bytes) throw new Error(`Nothing is stored under ${from}`)
      contents.set(to, bytes)
      contents.delete(from)
    },
    async deleteStranded(before) {
      for (const [key, at] of writtenAt) if (key.startsWith('incoming/') && at < before) contents.delete(key)
    },
  }
}

/** Returns the state of a ready instance. */
export function readyStateOf({ containers: [{ port }] }: InstanceSpec) {
  return { kind: 'ready', host: '10.0.0.1', port } as const
}

/** Creates a runtime for tests. Its instances become ready at once, or get the state that a test sets. */
export function createTestRuntime(exposure: 'Proxy' | 'Direct' = 'Proxy') {
  const specs = new Map<string, InstanceSpec>()
  const states = new Map<string, ObservedState>()
  const usages = new Map<string, ResourceAmount>()
  const events: ContainerEvent[] = []
  const listeners = new Set<(id: string) => void>()
  const terminals: { open?: (id: string) => Promise<WebSocket> } = {}
  const logs: { id: string; container: string; options: LogOptions; output: PassThrough }[] = []
  let nextState: (spec: InstanceSpec) => ObservedState = readyStateOf
  const announce = (id: string) => {
    for (const listener of listeners) listener(id)
  }
  const observe = (spec: InstanceSpec): ObservedInstance => ({
    id: spec.id,
    expiresAt: spec.expiresAt,
    state: states.get(spec.id) ?? { kind: 'pending', reason: 'Created', message: 'Created' },
  })
  const runtime: InstanceRuntime = {
    exposure,
    async create(spec) {
      specs.set(spec.id, spec)
      states.set(spec.id, nextState(spec))
      announce(spec.id)
    },
    async extend(id, expiresAt) {
      const spec = specs.get(id)
      if (spec) specs.set(id, { ...spec, expiresAt })
    },
    async delete(id) {
      specs.delete(id)
      states.delete(id)
      announce(id)
    },
    find(id) {
      const spec = specs.get(id)
      return spec && observe(spec)
    },
    list: () => [...specs.values()].map(observe),
    readUsage: async () => new Map([...usages].map(([id, usage]) => [id, new Map([[challengeContainer, usage]])])),
    containers: {
      find(id) {
        const state = states.get(id)
        const spec = specs.get(id)
        return (
          state && spec && [describeSingleContainer(state, { lastExit: undefined, limits: resourceLimitsOf(spec.containers[0]) })]
        )
      },
      listEvents: async (_id, container) => (container === challengeContainer ? events : undefined),
      async openLog(id, container, options) {
        if (container !== challengeContainer) return undefined
        const output = addAbortSignal(options.signal, new PassThrough())
        output.write('listening\n')
        if (!options.follow) output.end()
        logs.push({ id, container, options, output })
        return output
      },
      openTerminal: async (id, container) => (container === challengeContainer ? terminals.open?.(id) : undefined),
    },
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      listeners.clear()
    },
  }
  return {
    runtime,
    specs,
    /** Number of watchers, including those that are still starting. */
    get watching() {
      return listeners.size
    },
    usages,
    /** Events of each container. */
    events,
    /** Opened logs, the newest last. */
    logs,
    /** Functions that open terminals in containers. If absent, every container is unknown. */
    terminals,
    become(state: (spec: InstanceSpec) => ObservedState) {
      nextState = state
    },
    setState(id: string, state: ObservedState) {
      states.set(id, state)
      announce(id)
    },
  }
}

export type TestAppOptions = Readonly<{
  config?: Partial<ApiConfig>
  exposure?: 'Proxy' | 'Direct'
  mailer?: Mailer
  counter?: StatementCounter
  observe?: StatementObserver
  deps?: Partial<AppDeps>
  /** Name of the database to copy, which must have no connections. Default: the migrated database without rows. */
  template?: string
}>

/** Starts the api on a new database. Mail, instances, blobs and clock are test doubles. */
export async function startTestApp(options: TestAppOptions = {}) {
  const database = await createTestDatabase({
    ...(options.counter && { counter: options.counter }),
    ...(options.observe && { observe: options.observe }),
    ...(options.template && { template: options.template }),
  })
  const clock = createTestClock()
  const testRuntime = createTestRuntime(options.exposure)
  const blobs = createMemoryBlobStore()
  const images = createImageConverter({ log: { warn: () => {} } })
  const bus = createInProcessBus()
  const messages: RealtimeMessage[] = []
  bus.subscribe((message) => void messages.push(message))
  const mails: Mail[] = []
  const mailer: Mailer = options.mailer ?? { isConfigured: true, send: async (mail) => void mails.push(mail), close: () => {} }
  const logLines: PlatformLogLine[] = []
  const platformLog = { write: (line: PlatformLogLine) => void logLines.push(line), flush: async () => {}, close: async () => {} }
  const config: ApiConfig = {
    ...readConfig({
      ...requiredEnvironment,
      DATABASE_URL: database.url,
      CAPSTAN_RATE_LIMITS: 'off',
      CAPSTAN_CAPTCHA_PROVIDER: 'HashPow',
      CAPSTAN_INSTANCE_WIDEST_EGRESS: 'Internet',
      CAPSTAN_INSTANCE_READY_TIMEOUT_MS: '300',
    }),
    ...options.config,
  }
  const deps: AppDeps = {
    config,
    db: database.db,
    bus,
    clock,
    blobs,
    images,
    passwords,
    runtime: testRuntime.runtime,
    mailer,
    platformLog,
    // No host name has an address, so tests send no requests to the internet.
    outgoing: createFencedFetch(config.outgoing, async () => []),
    providerClient: createTestProviderClient(),
    ...options.deps,
  }
  const app = await buildApp(deps)
  await app.ready()
  const close = async () => {
    await app.close()
    await images.close()
    await bus.close()
    await database.drop()
  }
  const gatewayBackend = createGatewayBackend(app)
  return {
    app,
    gatewayBackend,
    deps,
    db: database.db,
    sql: database.sql,
    clock,
    runtime: testRuntime,
    blobs,
    messages,
    mails,
    logLines,
    close,
  }
}

export type TestApp = Awaited<ReturnType<typeof startTestApp>>

/** Creates an HTTP client with a cookie jar. */
export function createTestClient(app: FastifyInstance) {
  const cookies = new Map<string, string>()
  const inject = async (options: InjectOptions) => {
    const request = { ...options, cookies: { ...Object.fromEntries(cookies), ...options.cookies } }
    const response = await app.inject(request).catch((cause: unknown) => {
      throw new Error(`${options.method} ${String(options.url)} got no complete response`, { cause })
    })
    for (const cookie of response.cookies) {
      if (cookie.value === '' || (cookie.expires && cookie.expires.getTime() < Date.now())) cookies.delete(cookie.name)
      else cookies.set(cookie.name, cookie.value)
    }
    return response
  }
  type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
  const call =
    (method: Method) =>
    (url: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
      inject({
        method,
        url,
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { payload: JSON.stringify(body) }),
      })
  const upload = (
    method: 'POST' | 'PUT',
    url: string,
    files: { field?: string; name: string; type?: string; content: Buffer | string }[],
    headers: Readonly<Record<string, string>> = {},
  ) => {
    const boundary = `----capstan${randomBytes(8).toString('hex')}`
    const parts = files.flatMap(({ field = 'file', name, type = 'application/octet-stream', content }) => [
      Buffer.from(
        `--${boundary}\r\ncontent-disposition: form-data; name="${field}"; filename="${name}"\r\ncontent-type: ${type}\r\n\r\n`,
      ),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ])
    const payload = Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)])
    return inject({ method, url, payload, headers: { ...headers, 'content-type': `multipart/form-data; boundary=${boundary}` } })
  }
  return { cookies, inject, get: call('GET'), post: call('POST'), put: call('PUT'), delete: call('DELETE'), upload }
}

export type TestClient = ReturnType<typeof createTestClient>
