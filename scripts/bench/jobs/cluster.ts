import { type ChallengeInstance, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import type { ChallengeInstanceSpec } from '@capstan/challenge-instance/definition'
import { type Pod, pods } from '@capstan/kubernetes/built-in-kinds'
import { systemClock } from '@capstan/kubernetes/clock'
import { createInformer } from '@capstan/kubernetes/informer'
import { silentLog } from '@capstan/kubernetes/testing/silent-log'
import type { KubeObject, Resource } from '@capstan/kubernetes/types'
import { captureImage, createTestCluster, echoImage, type TestCluster } from '@capstan/operator/testing/cluster'
import type { Bench } from '../bench.ts'
import { startServerProcess } from '../server-process.ts'

/** A namespace of its own on the cluster of KUBECONFIG, with an operator for it as a child process. */
export type BenchCluster = Readonly<{
  test: TestCluster
  operatorPid: number
  /** Requests that the operator has sent to the API server so far, as its metrics count them. */
  countRequests(): Promise<number>
  instances: Watched<ChallengeInstance>
  pods: Watched<Pod>
}>

/** Objects of one kind, as a watch tells about them. */
interface Watched<T extends KubeObject> {
  /** Waits until the object is as asked. @returns the moment it was told, by `performance.now()` */
  until(name: string, what: string, isSo: (object: T | undefined) => boolean, timeoutMs?: number): Promise<number>
}

/** Port of the echo image. */
export const echoPort = 1337

/** Creates an instance of the echo image with a flag, and with limits under which a hundred fit on a small node. */
export function createInstance({ test }: BenchCluster, name: string, spec: Partial<ChallengeInstanceSpec> = {}) {
  return test.create(
    { image: echoImage, port: echoPort, resources: { cpuTenths: 10, memoryMb: 128, storageMb: 64, pids: 64 }, ...spec },
    { name, flag: 'flag{not-a-secret}' },
  )
}

/** Whether the condition Ready of a pod or an instance is True. */
export function isReady(object: Pod | ChallengeInstance | undefined): boolean {
  return object?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false
}

async function watch<T extends KubeObject>(
  { client, namespace }: TestCluster,
  resource: Resource<T>,
  signal: AbortSignal,
): Promise<Watched<T>> {
  const informer = createInformer({
    client,
    resource,
    scope: { namespace },
    clock: systemClock,
    log: silentLog,
    random: Math.random,
  })
  const waiting = new Map<string, (object: T | undefined) => void>()
  informer.onChange((now, before) => {
    const name = (now ?? before)?.metadata.name
    if (name !== undefined) waiting.get(name)?.(now)
  })
  void informer.run(signal)
  await informer.whenSynced(signal)
  return {
    until: (name, what, isSo, timeoutMs = 60_000) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(name)
          reject(new Error(`${resource.kind} ${name} was not ${what} within ${timeoutMs / 1000} s`))
        }, timeoutMs)
        const look = (object: T | undefined) => {
          if (!isSo(object)) return
          clearTimeout(timer)
          waiting.delete(name)
          resolve(performance.now())
        }
        waiting.set(name, look)
        look(informer.get(`${namespace}/${name}`))
      }),
  }
}

/** The operator as its image runs it, but for requests so small that a hundred instances fit on a small node. */
function startOperator(namespace: string, flags: readonly string[]) {
  return startServerProcess({
    name: 'operator',
    dockerfile: new URL('../../../operator/Dockerfile', import.meta.url),
    flags,
    environment: (port) => ({
      CAPSTAN_INSTANCE_NAMESPACE: namespace,
      CAPSTAN_PLATFORM_NAMESPACE: namespace,
      CAPSTAN_HEALTH_PORT: String(port),
      CAPSTAN_CPU_REQUEST_PERCENT: '1',
      CAPSTAN_MEMORY_REQUEST_PERCENT: '1',
      CAPSTAN_CAPTURE_IMAGE: captureImage,
      POD_NAME: 'bench',
    }),
  })
}

const started = new WeakMap<Bench, Promise<BenchCluster>>()

async function start(bench: Bench): Promise<BenchCluster> {
  const test = await createTestCluster()
  bench.onClose(test.close)
  const operator = await startOperator(test.namespace, bench.nodeFlags)
  bench.onClose(operator.stop)
  const ended = new AbortController()
  bench.onClose(async () => ended.abort())
  return {
    test,
    operatorPid: operator.pid,
    async countRequests() {
      const metrics = await (await fetch(`http://127.0.0.1:${operator.port}/metrics`)).text()
      return metrics
        .split('\n')
        .filter((line) => line.startsWith('capstan_operator_api_requests_total{'))
        .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
    },
    instances: await watch(test, challengeInstances, ended.signal),
    pods: await watch(test, pods, ended.signal),
  }
}

/** The cluster of this run; all jobs use the same. */
export function useCluster(bench: Bench): Promise<BenchCluster> {
  const running = started.get(bench) ?? start(bench)
  started.set(bench, running)
  return running
}
