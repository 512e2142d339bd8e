import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { plural } from '@capstan/challenge-instance/definition'
import { instanceIdLabel } from '@capstan/challenge-instance/labels'
import { poll } from './poll.ts'
import type { World } from './world.ts'

const run = promisify(execFile)
export const chart = path.join(import.meta.dirname, '..', '..', 'charts', 'capstan')

/** Repository of the platform's images, which the chart calls `image.repository`. */
const repository = process.env.CAPSTAN_TEST_REPOSITORY ?? 'capstan'

/**
 * Runs kubectl with the cluster of KUBECONFIG.
 * @returns the output of kubectl
 */
export async function runKubectl(...args: string[]): Promise<string> {
  return (await run('kubectl', args, { maxBuffer: 32 * 1024 * 1024 })).stdout
}

/** Reads objects of one kind. Additional command-line options of kubectl can filter them. */
export async function getObjects<Item>(namespace: string, kind: string, ...flags: string[]): Promise<Item[]> {
  return (JSON.parse(await runKubectl('--namespace', namespace, 'get', kind, '--output', 'json', ...flags)) as { items: Item[] })
    .items
}

/**
 * Forwards a free local port to a port of one pod.
 * @returns the address, and a function that ends the forwarding
 */
export async function forwardPort(namespace: string, pod: string, port: number) {
  const child = spawn('kubectl', ['--namespace', namespace, 'port-forward', `pod/${pod}`, `:${port}`])
  const local = await new Promise<string>((resolve, reject) => {
    let said = ''
    // Read the output. kubectl prints a line for each connection, and would stop if its output were not read.
    child.stdout.on('data', (chunk) => {
      said += chunk
      const found = /127\.0\.0\.1:(\d+)/.exec(said)?.[1]
      if (found) resolve(found)
    })
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`Port ${port} of ${pod} could not be forwarded: ${said}`)))
  })
  const close = async () => {
    const ended = once(child, 'exit')
    child.kill()
    await ended
  }
  return { origin: `http://127.0.0.1:${local}`, close }
}

/**
 * Sends SIGKILL to process 1 of a pod's only container, like the kernel when memory is exhausted. The kernel ignores the signal
 * if its sender is inside the container. The signal therefore comes from another pod, which sees the processes of the node.
 */
export async function killMainProcessOfPod(namespace: string, pod: string): Promise<void> {
  const { spec, status } = JSON.parse(await runKubectl('--namespace', namespace, 'get', 'pod', pod, '--output', 'json'))
  const containerId = status.containerStatuses[0].containerID.replace(/^.*\/\//, '')
  const isTarget = `grep -qs ${containerId} $process/cgroup && grep -qsE '^NSpid:.*[[:space:]]1$' $process/status`
  const script = `for process in /proc/[0-9]*; do if ${isTarget}; then kill -9 \${process#/proc/}; exit; fi; done; exit 1`
  const killer = `kill-${pod}`
  const killerSpec = {
    hostPID: true,
    nodeName: spec.nodeName,
    restartPolicy: 'Never',
    containers: [
      { name: 'kill', image: spec.containers[0].image, command: ['sh', '-c', script], securityContext: { runAsUser: 0 } },
    ],
  }
  // Use the namespace kube-system, because the namespace of a release may refuse such a pod.
  const inSystem = ['--namespace', 'kube-system']
  const overrides = JSON.stringify({ spec: killerSpec })
  await runKubectl(...inSystem, 'run', killer, '--image', spec.containers[0].image, '--restart=Never', '--overrides', overrides)
  try {
    await runKubectl(...inSystem, 'wait', `pod/${killer}`, '--for=jsonpath={.status.phase}=Succeeded', '--timeout=5m')
  } finally {
    await runKubectl(...inSystem, 'delete', 'pod', killer, '--wait=false')
  }
}

/** Returns the name of the ChallengeInstance with this UUID. The UUID is not part of the name. */
export function findInstanceName(namespace: string, instanceId: string): Promise<string> {
  return poll('the object of the instance', async () => {
    const flag = `--selector=${instanceIdLabel}=${instanceId}`
    const [instance] = await getObjects<{ metadata: { name: string } }>(namespace, plural, flag)
    return instance?.metadata.name
  })
}

export type Release = Readonly<{
  name: string
  namespace: string
  instancesNamespace: string
  world: World
  /** Upgrades the release to this chart with additional values, and waits until the upgrade is complete. */
  upgrade(values?: Values): Promise<void>
  rollback(): Promise<void>
  /**
   * Runs `helm test`.
   * @returns the output of its pods
   * @throws an error that contains this output if a test failed
   */
  test(): Promise<string>
  notes(): Promise<string>
  /**
   * Runs only `helm uninstall`, and deletes nothing else.
   * @returns the output of helm
   */
  withdraw(): Promise<string>
  /** Uninstalls the release, and deletes its data, its keys and the namespace. */
  uninstall(): Promise<void>
}>

type Values = Readonly<Record<string, string>>

/** Returns a copy of the chart with an older version number, also in the labels of all pods. */
async function previousVersion(): Promise<string> {
  const folder = path.join(await mkdtemp(path.join(tmpdir(), 'capstan-chart-')), 'capstan')
  await cp(chart, folder, { recursive: true })
  const file = path.join(folder, 'Chart.yaml')
  await writeFile(file, (await readFile(file, 'utf8')).replace(/^version: .*$/m, 'version: 0.0.1'))
  return folder
}

/** Returns the pods and warnings of a namespace, and what all pods reserve on the nodes. */
async function describeProblems(namespace: string): Promise<string> {
  const texts = [
    await runKubectl('--namespace', namespace, 'get', 'pods', '--output=wide'),
    await runKubectl('--namespace', namespace, 'get', 'events', '--field-selector=type=Warning'),
    await runKubectl('describe', 'nodes'),
  ]
  return texts.join('\n')
}

/**
 * Installs the chart under `name` with images of the tag `dev`, and waits until all pods are ready. With `from: 'previous'`,
 * installs a copy with an older version number, so that a test can upgrade it.
 */
export async function installChart(name: string, values: Values = {}, from: 'this' | 'previous' = 'this'): Promise<Release> {
  const namespace = name
  const instancesNamespace = `${name}-instances`
  const target = ['--namespace', namespace, '--wait', '--timeout', '9m']
  const change = async (folder: string, more: Values, flags: readonly string[] = []) => {
    const images = { 'image.repository': repository, 'image.tag': 'dev' }
    // Instances reserve little CPU, because a small node also runs the pods of other test files.
    const small = { 'instances.requestPercent.cpu': '1' }
    const set = { ...images, ...small, 'web.service.type': 'NodePort', rateLimits: 'false', ...values, ...more }
    const settings = Object.entries(set).flatMap(([key, value]) => ['--set', `${key}=${value}`])
    try {
      await run('helm', ['upgrade', name, folder, ...target, ...flags, ...settings])
    } catch (error) {
      const state = await describeProblems(namespace).catch(String)
      // Uninstall the failed release, because its pods occupy resources that other test files need.
      if (flags.includes('--install')) await uninstall()
      throw new Error(`The chart did not become ready:\n${state}`, { cause: error })
    }
  }
  await change(from === 'this' ? chart : await previousVersion(), {}, ['--install', '--create-namespace', '--take-ownership'])
  const service = JSON.parse(await runKubectl('--namespace', namespace, 'get', 'service', `${name}-web`, '--output', 'json'))
  const nodes = await getObjects<{ status: { addresses: { type: string; address: string }[] } }>('default', 'nodes')
  const address = nodes[0]?.status.addresses.find(({ type }) => type === 'InternalIP')?.address
  const secret = JSON.parse(await runKubectl('--namespace', namespace, 'get', 'secret', `${name}-admin`, '--output', 'json'))
  const world: World = {
    baseUrl: `http://${address}:${service.spec.ports[0].nodePort}`,
    adminName: 'Admin',
    adminPassword: Buffer.from(secret.data.password, 'base64').toString(),
  }
  const withdraw = async () =>
    (await run('helm', ['uninstall', name, '--namespace', namespace, '--ignore-not-found', '--wait', '--timeout', '9m'])).stdout
  const uninstall = async () => {
    await withdraw()
    await runKubectl('delete', 'namespace', namespace, '--wait=false')
    await poll(
      'the namespaces of the release to be gone',
      async () => {
        const names = (await getObjects<{ metadata: { name: string } }>('default', 'namespaces')).map(
          ({ metadata }) => metadata.name,
        )
        return !names.includes(namespace) && !names.includes(instancesNamespace)
      },
      { everyMs: 500 },
    )
  }
  const upgrade = (more: Values = {}) => change(chart, more)
  const rollback = async () => void (await run('helm', ['rollback', name, ...target]))
  const test = async () => {
    try {
      return (await run('helm', ['test', name, '--namespace', namespace, '--logs', '--timeout', '9m'])).stdout
    } catch (error) {
      // helm writes the logs of the pods to standard output, which the message of the error does not contain.
      const { message, stdout } = error as Error & { stdout: string }
      throw new Error(`${message}\n${stdout.replace(/^(blocked|skipped) .*\n/gm, '')}`)
    }
  }
  const notes = async () => (await run('helm', ['get', 'notes', name, '--namespace', namespace])).stdout
  return { name, namespace, instancesNamespace, world, upgrade, rollback, test, notes, withdraw, uninstall }
}
