import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { type ChallengeInstance, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { conditionTypes } from '@capstan/challenge-instance/conditions'
import type { ChallengeInstanceSpec } from '@capstan/challenge-instance/definition'
import { definitionFile } from '@capstan/challenge-instance/definition-file'
import { instanceLabel } from '@capstan/challenge-instance/labels'
import { flagKey } from '@capstan/challenge-instance/names'
import { type ApiAccess, readKubeconfigAccess } from '@capstan/kubernetes/access'
import {
  customResourceDefinitions,
  namespaces,
  networkPolicies,
  pods,
  secrets,
  services,
} from '@capstan/kubernetes/built-in-kinds'
import { createKubeClient, isNotFoundError, type KubeClient } from '@capstan/kubernetes/client'
import { type Clock, systemClock } from '@capstan/kubernetes/clock'
import { findCondition } from '@capstan/kubernetes/conditions'
import { silentLog } from '@capstan/kubernetes/testing/silent-log'
import type { DesiredObject, KubeObject, Resource } from '@capstan/kubernetes/types'
import { parse } from 'yaml'
import { type Config, readConfig } from '../config.ts'
import { createOperator, type Operator } from '../operator.ts'

/**
 * Image of `operator/testing-images/echo`. It echoes lines on port 1337, answers the lines `flag` and `team`, and ends at the line
 * `exit`.
 */
export const echoImage = process.env.CAPSTAN_TEST_IMAGE ?? 'capstan/demo-echo:dev'

/** Image of `operator/testing-images/crash`: runs as root and ends at once. */
export const crashImage = process.env.CAPSTAN_TEST_CRASH_IMAGE ?? 'capstan/demo-crash:dev'

/** Image of `operator/testing-images/broken`: its program does not exist. */
export const brokenImage = process.env.CAPSTAN_TEST_BROKEN_IMAGE ?? 'capstan/demo-broken:dev'

export const operatorImage = process.env.CAPSTAN_TEST_OPERATOR_IMAGE ?? 'capstan/operator:dev'

/** Image of the recorder, which `operator/capture` builds. */
export const captureImage = process.env.CAPSTAN_TEST_CAPTURE_IMAGE ?? 'capstan/capture:dev'

/** Images of `operator/isolation-probe`. `user` runs as an ordinary user, and `root` as root. */
export const probeImages = {
  user: process.env.CAPSTAN_TEST_ISOLATION_PROBE_IMAGE ?? 'capstan/isolation-probe:dev',
  root: process.env.CAPSTAN_TEST_ISOLATION_PROBE_ROOT_IMAGE ?? 'capstan/isolation-probe-root:dev',
}

interface Event extends KubeObject {
  eventTime: string
  reason: string
  regarding: { uid: string }
}
export const events: Resource<Event> = { apiVersion: 'events.k8s.io/v1', kind: 'Event', plural: 'events' }

/** Lease times that are longer than in production. Operators run in the process of the tests, so a slow test delays them. */
const longLease = { durationSeconds: 40, giveUpMs: 30_000, retryMs: 5000 }

/**
 * Maximum time to wait for a condition, in ms. The time is long, because a loaded machine may be ten times slower. It
 * matters only if a condition never occurs.
 */
const hangMs = 300_000

/** Waits until `look` returns a value other than undefined. After `timeoutMs`, fails with the description. */
export async function waitForValue<T>(
  description: string,
  look: () => Promise<T | undefined>,
  timeoutMs: number = hangMs,
): Promise<T> {
  const startedAtMs = performance.now()
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() - startedAtMs > timeoutMs) throw new Error(`Not within ${timeoutMs} ms: ${description}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Replica of the operator that runs in this process. */
export interface RunningOperator {
  operator: Operator
  /** Result of the operator's `run`. */
  ended: Promise<'stopped' | 'lost'>
  /** Returns the number of requests that changed objects in the instances' namespace, from the operator's metrics. */
  writes(): Promise<number>
  /** Returns the sum of a metric over all its labels. */
  metric(name: string): Promise<number>
  stop(): Promise<void>
}

/** Namespace of a real cluster in which the CRD is installed. */
export interface TestCluster {
  client: KubeClient
  namespace: string
  /**
   * Starts an operator for the namespace. Waits until the operator is the leader. With `standby`, waits only until the
   * operator is ready.
   */
  startOperator(options?: {
    environment?: NodeJS.ProcessEnv
    identity?: string
    standby?: boolean
    /**
     * Access to the API server for this operator. Tests with faults pass the address of a proxy. By default, the real API server
     * is used.
     */
    access?: ApiAccess
    clock?: Clock
    /** True to use the lease times of production, which are shorter than the default times of tests. */
    strictLease?: boolean
  }): Promise<RunningOperator>
  access: ApiAccess
  /** Returns the environment that `startOperator` passes to an operator. */
  environment(identity?: string): NodeJS.ProcessEnv
  /** Changes an annotation of an instance, which triggers a reconciliation. Waits until this reconciliation has ended. */
  reconcileOnce(operator: RunningOperator, name: string): Promise<void>
  /**
   * Creates an instance of the echo image in the same way as the api. The instance lasts 30 minutes and has the profile
   * Restricted. If a flag is given, its Secret is created first.
   */
  create(
    spec?: Partial<ChallengeInstanceSpec>,
    options?: { flag?: string; name?: string; labels?: Record<string, string> },
  ): Promise<ChallengeInstance>
  /**
   * Sets an instance's end to `afterMs` from now, rounded up to a second.
   * @returns the end, in milliseconds since 1970
   */
  setEnd(name: string, afterMs: number): Promise<number>
  find<T extends KubeObject>(resource: Resource<T>, name: string): Promise<T | undefined>
  list<T extends KubeObject>(resource: Resource<T>): Promise<T[]>
  remove(resource: Resource, name: string): Promise<void>
  /** Waits until the Ready condition has this reason. */
  waitForReason(name: string, reason: string): Promise<ChallengeInstance>
  /**
   * Waits until the instance with this UID has an event with this reason.
   * @returns the time of the event by the operator's clock, in milliseconds
   */
  waitForEvent(uid: string, reason: string): Promise<number>
  /** Waits until no pod, service, policy, Secret or instance has this name. */
  waitUntilDeleted(name: string): Promise<void>
  /** Stops running operators and deletes the namespace. */
  close(): Promise<void>
}

export async function createTestCluster(): Promise<TestCluster> {
  const access = await readKubeconfigAccess()
  const client = createKubeClient(access, { userAgent: 'capstan-tests' })
  const namespace = `capstan-test-${randomBytes(4).toString('hex')}`
  await client.create(namespaces, undefined, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  await installDefinition(client)
  const running = new Set<RunningOperator>()

  const find = async <T extends KubeObject>(resource: Resource<T>, name: string): Promise<T | undefined> => {
    try {
      return await client.get(resource, namespace, name)
    } catch (error) {
      if (isNotFoundError(error)) return undefined
      throw error
    }
  }

  const environmentOf = (identity = 'test'): NodeJS.ProcessEnv => ({
    CAPSTAN_INSTANCE_NAMESPACE: namespace,
    CAPSTAN_PLATFORM_NAMESPACE: namespace,
    CAPSTAN_HEALTH_PORT: '0',
    CAPSTAN_SCHEDULING_GRACE_SECONDS: '3',
    // Reserve little CPU, because a small node also runs the pods of other test files. Recorded pods stay until they are fetched.
    CAPSTAN_CPU_REQUEST_PERCENT: '1',
    POD_NAME: identity,
  })

  return {
    client,
    namespace,
    access,
    find,
    environment: environmentOf,
    async startOperator({ environment = {}, identity, standby, access: seen = access, clock = systemClock, strictLease } = {}) {
      const config = readConfig({ ...environmentOf(identity), ...environment })
      const started = await runOperator({ access: seen, config, clock, lease: strictLease ? {} : longLease, running })
      await waitForValue('the operator leads', async () => (standby || started.operator.isLeader() ? true : undefined))
      return started
    },
    async create(spec = {}, { flag, name = `ci-${randomBytes(6).toString('hex')}`, labels = {} } = {}) {
      if (flag !== undefined) {
        await client.create(secrets, namespace, {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name, namespace, labels: { [instanceLabel]: name } },
          stringData: { [flagKey]: flag },
        })
      }
      return client.create(challengeInstances, namespace, {
        apiVersion: challengeInstances.apiVersion,
        kind: challengeInstances.kind,
        metadata: { name, namespace, labels },
        spec: {
          gameId: 1,
          challengeId: 2,
          participationId: 3,
          teamId: 7,
          image: echoImage,
          port: 1337,
          resources: { cpuTenths: 10, memoryMb: 128, storageMb: 64 },
          expiresAt: new Date(Date.now() + 1_800_000).toISOString(),
          ...(flag === undefined ? {} : { flag: { secretName: name } }),
          ...spec,
        },
      })
    },
    async setEnd(name, afterMs) {
      // Round to a second, because the operator takes the time from the `Date` header of the API server, which has whole seconds.
      const endsAtMs = Math.ceil((Date.now() + afterMs) / 1000) * 1000
      await client.patchJson(challengeInstances, namespace, name, [
        { op: 'replace', path: '/spec/expiresAt', value: new Date(endsAtMs).toISOString() },
      ])
      return endsAtMs
    },
    async reconcileOnce(operator, name) {
      const passes = await operator.metric('capstan_operator_reconcile_duration_seconds_count')
      await client.patchJson(challengeInstances, namespace, name, [
        { op: 'add', path: '/metadata/annotations', value: { touched: String(passes) } },
      ])
      await waitForValue('the operator has reconciled it', async () =>
        (await operator.metric('capstan_operator_reconcile_duration_seconds_count')) > passes ? true : undefined,
      )
    },
    async list<T extends KubeObject>(resource: Resource<T>) {
      return (await client.listPage(resource, { namespace }, { limit: 1000 })).items
    },
    remove: (resource, name) => client.delete(resource, namespace, name),
    waitForReason: (name, reason) => {
      let last = 'no status'
      return waitForValue(`Ready of ${name} has the reason ${reason}`, async () => {
        const instance = await find(challengeInstances, name)
        const ready = findCondition(instance?.status?.conditions, conditionTypes.ready)
        last = `${ready?.status} ${ready?.reason}: ${ready?.message}`
        return ready?.reason === reason ? instance : undefined
      }).catch((cause) => {
        throw new Error(`${(cause as Error).message}; it is ${last}`, { cause })
      })
    },
    waitForEvent: (uid, reason) =>
      waitForValue(`there is an event ${reason} about ${uid}`, async () => {
        const { items } = await client.listPage(events, { namespace }, { limit: 1000 })
        const event = items.find((each) => each.reason === reason && each.regarding.uid === uid)
        return event && Date.parse(event.eventTime)
      }),
    async waitUntilDeleted(name) {
      let left: string[] = []
      await waitForValue(`nothing of ${name} is left`, async () => {
        const kinds: Resource[] = [challengeInstances, pods, services, networkPolicies, secrets]
        const found = await Promise.all(kinds.map((resource) => find(resource, name)))
        left = kinds.flatMap(({ kind }, index) => (found[index] ? [kind] : []))
        return left.length === 0 ? true : undefined
      }).catch((cause) => {
        throw new Error(`${(cause as Error).message}; there is: ${left}`, { cause })
      })
    },
    async close() {
      await Promise.all([...running].map((each) => each.stop()))
      // Remove the finalizers of recorded instances here, because no operator runs any longer.
      const { items } = await client.listPage(challengeInstances, { namespace }, { limit: 1000 })
      for (const { metadata } of items.filter((instance) => instance.metadata.finalizers !== undefined)) {
        await client.patchJson(challengeInstances, namespace, metadata.name, [{ op: 'remove', path: '/metadata/finalizers' }])
      }
      await client.delete(namespaces, undefined, namespace)
      client.close()
    },
  }
}

interface OperatorOptions {
  access: ApiAccess
  config: Config
  clock: Clock
  lease: Partial<typeof longLease>
  running: Set<RunningOperator>
}

async function runOperator({ access, config, clock, lease, running }: OperatorOptions): Promise<RunningOperator> {
  const operator = createOperator({ config, access, clock, log: silentLog, random: Math.random, lease })
  const stop = new AbortController()
  const ended = operator.run(stop.signal)
  const port = await operator.healthPort
  const metrics = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const started: RunningOperator = {
    operator,
    ended,
    async writes() {
      const lines = (await metrics()).split('\n').filter((line) => line.startsWith('capstan_operator_api_requests_total{'))
      return lines
        .filter((line) => !/verb="(get|list|watch)"/.test(line) && !line.includes('resource="leases"'))
        .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
    },
    async metric(name) {
      const lines = (await metrics()).split('\n').filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
      return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
    },
    async stop() {
      stop.abort()
      await ended
      running.delete(started)
    },
  }
  running.add(started)
  await waitForValue('the operator is ready', async () => {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`)
    return response.ok ? true : undefined
  })
  return started
}

/** Installs the definitions in `crds/` and waits until the API server serves them. */
async function installDefinition(client: KubeClient): Promise<void> {
  const definition = parse(await readFile(definitionFile, 'utf8')) as DesiredObject
  await client.apply(customResourceDefinitions, definition, 'capstan-tests')
  await waitForValue('the API server serves ChallengeInstances', async () => {
    try {
      await client.listPage(challengeInstances, {}, { limit: 1 })
      return true
    } catch (error) {
      if (isNotFoundError(error)) return undefined
      throw error
    }
  })
}

/**
 * Sends one line and returns the line that the server sends back. Rejects after a timeout.
 * @param limitMs timeout of the response; callers that retry pass a short timeout
 * @param localPort local port of the connection; by default, any port
 */
export function sendLineAndReadReply(
  host: string,
  port: number,
  line: string,
  limitMs = 20_000,
  localPort?: number,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: limitMs, ...(localPort === undefined ? {} : { localPort }) })
    let text = ''
    socket.on('connect', () => socket.write(`${line}\n`))
    socket.on('data', (chunk) => {
      text += chunk
      if (!text.includes('\n')) return
      resolve(text.trimEnd())
      socket.destroy()
    })
    socket.on('timeout', () => socket.destroy(new Error(`${host}:${port} did not answer`)))
    socket.on('error', reject)
    socket.on('close', () => reject(new Error(`${host}:${port} closed the connection`)))
  })
}
