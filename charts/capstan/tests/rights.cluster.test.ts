import { challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import type { ChallengeInstanceSpec } from '@capstan/challenge-instance/definition'
import { pathOfEventsRequest } from '@capstan/challenge-instance/events-request'
import { drainedAnnotation, instanceLabel } from '@capstan/challenge-instance/labels'
import { challengeContainer } from '@capstan/challenge-instance/names'
import { pathOfTerminalRequest } from '@capstan/challenge-instance/terminal-request'
import { findFreePort } from '@capstan/challenge-instance/testing/find-free-port'
import type { ApiAccess } from '@capstan/kubernetes/access'
import { networkPolicies, pods, secrets, services } from '@capstan/kubernetes/built-in-kinds'
import { hasErrorStatus } from '@capstan/kubernetes/client'
import { systemClock } from '@capstan/kubernetes/clock'
import { openSocket } from '@capstan/kubernetes/sockets'
import { silentLog } from '@capstan/kubernetes/testing/silent-log'
import type { Resource } from '@capstan/kubernetes/types'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../operator/src/config.ts'
import { createOperator } from '../../../operator/src/operator.ts'
import { createTestCluster, echoImage, type TestCluster, waitForValue } from '../../../operator/src/testing/cluster.ts'
import { createKubernetesRuntime } from '../../../services/api/src/instances/lifecycle/kubernetes-runtime.ts'
import { anEntryContainer, anInstanceSpec } from '../../../services/api/src/instances/lifecycle/testing/instance-spec.ts'
import { aKubernetesSettings } from '../../../services/api/src/instances/lifecycle/testing/kubernetes-settings.ts'
import { environmentOfDeployment, findManifest, type Manifest, renderChart, type Values } from './render.ts'

interface Right {
  role: string
  isNamespaced: boolean
  group: string
  resource: string
  verb: string
  names?: string[] | undefined
}
type Rule = { apiGroups: string[]; resources: string[]; verbs: string[]; resourceNames?: string[] }
type Role = Manifest & { rules: Rule[] }

function rolesOf(component: string, namespace = 'ctf', values: Values = {}): Role[] {
  return (renderChart({ 'instances.namespace': namespace, 'doctor.enabled': 'false', ...values }, namespace) as Role[]).filter(
    ({ kind, metadata }) => /Role$/.test(kind) && metadata.labels?.['app.kubernetes.io/component'] === component,
  )
}
/**
 * Splits roles into single rights. A right refers to its role by index, because the names of roles differ from test to
 * test.
 */
function rightsOf(roles: Role[]): Right[] {
  return roles.flatMap(({ kind, rules }, index) =>
    rules.flatMap(({ apiGroups: [group = ''], resources, verbs, resourceNames: names }) =>
      resources.flatMap((resource) =>
        verbs.map((verb) => ({ role: String(index), isNamespaced: kind === 'Role', group, resource, verb, names })),
      ),
    ),
  )
}
/**
 * True if both rights permit the same requests. All Roles of this test apply to one namespace, so rights of different Roles can be
 * equal.
 */
function isSame(one: Right, other: Right) {
  const isSameScope = one.role === other.role || (one.isNamespaced && other.isNamespaced)
  return isSameScope && one.resource === other.resource && one.verb === other.verb
}

const plurals: Record<string, string> = {
  Role: 'roles',
  RoleBinding: 'rolebindings',
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
}

/**
 * Runs `work` while the account of `component` has all rights of the chart except the given right.
 * @param values values of the chart
 */
async function whileGranted<T>(
  cluster: TestCluster,
  component: string,
  without: Right | undefined,
  work: () => Promise<T>,
  values: Values = {},
): Promise<T> {
  const { client, namespace } = cluster
  const roles = rolesOf(component, namespace, values)
  const objects = new Map<string, Manifest | Role>()
  roles.forEach((role, index) => {
    const rules = rightsOf(roles)
      .filter((right) => right.role === String(index) && !(without && isSame(right, without)))
      .map(({ group, resource, verb, names }) => ({
        apiGroups: [group],
        resources: [resource],
        verbs: [verb],
        ...(names && { resourceNames: names }),
      }))
    // In this test, the release and its instances share one namespace, so two Roles can have the same name. Merge such Roles.
    const key = `${role.kind} ${role.metadata.namespace ?? namespace} ${role.metadata.name}`
    const before = (objects.get(key) as Role | undefined)?.rules ?? []
    objects.set(key, { ...role, rules: [...before, ...rules] })
  })
  for (const binding of renderChart({ 'instances.namespace': namespace, 'doctor.enabled': 'false' }, namespace)) {
    const { kind, metadata } = binding
    if (!/RoleBinding$/.test(kind) || metadata.labels?.['app.kubernetes.io/component'] !== component) continue
    objects.set(`${kind} ${metadata.namespace ?? namespace} ${metadata.name}`, binding)
  }
  const outside: [Resource, string | undefined, string][] = []
  try {
    for (const object of objects.values()) {
      const { apiVersion, kind, metadata } = object
      const resource: Resource = { apiVersion, kind, plural: plurals[kind] ?? '' }
      const home = kind.startsWith('Cluster') ? undefined : (metadata.namespace ?? namespace)
      await client.create(resource, home, object)
      if (home !== namespace) outside.push([resource, home, metadata.name])
    }
    return await work()
  } finally {
    for (const [resource, home, name] of outside) await client.delete(resource, home, name)
    await cluster.close()
  }
}

/** Returns access to the API server as the service account of a component of the release `cap`. */
function as(access: ApiAccess, namespace: string, component: string): ApiAccess {
  return {
    server: access.server,
    async requestOptions() {
      const options = await access.requestOptions()
      const user = `system:serviceaccount:${namespace}:cap-${component}`
      return { ...options, headers: { ...(options.headers as Record<string, string>), 'Impersonate-User': user } }
    },
  }
}

/** Returns the resources for which the API server refused requests of the operator. */
async function refusals(port: number): Promise<string[]> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(20_000) })).text()
  const lines = text
    .split('\n')
    .filter((line) => line.startsWith('capstan_operator_api_requests_total{') && line.includes('status="403"'))
  return lines.map((line) => /resource="([^"]*)"/.exec(line)?.[1] ?? '')
}

/**
 * Creates two instances that together require every action of the operator: create, adopt, prune, report, record
 * events, finalize, delete and clean up. The image of the first instance does not exist. The second instance runs, so
 * that the operator also reads output. A step that fails because a right is missing is skipped. After `enough` is
 * aborted, all remaining steps are skipped.
 */
async function leadLife(cluster: TestCluster, enough: AbortSignal): Promise<void> {
  const { client, namespace } = cluster
  const labels = { [instanceLabel]: 'nobody' }
  await client.create(secrets, namespace, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'nobody', namespace, labels } })
  const { metadata } = await cluster.create(
    {
      image: 'registry.invalid/nothing:1',
      exposure: 'NodePort',
      egress: 'Internet',
      capture: { enabled: true, maxSegmentMb: 8, maxSegmentSeconds: 30, maxStoredMb: 128 },
    },
    { flag: 'flag{x}' },
  )
  const talker = { image: echoImage, container: { readiness: { line: 'never' } } }
  await cluster.create(talker)
  const waitFor = (what: string, look: () => Promise<unknown>) =>
    waitForValue(what, async () => (enough.aborted ? true : await look())).catch(() => undefined)
  const children: Resource[] = [pods as Resource, services as Resource, networkPolicies]
  await Promise.all(children.map((child) => waitFor('a child is made', () => cluster.find(child, metadata.name))))
  const owner = {
    apiVersion: challengeInstances.apiVersion,
    kind: challengeInstances.kind,
    name: metadata.name,
    uid: metadata.uid,
  }
  const strays: [Resource, object][] = [
    [services as Resource, { ports: [{ port: 1 }] }],
    [networkPolicies, { podSelector: {} }],
  ]
  for (const [resource, spec] of strays) {
    const { apiVersion, kind } = resource
    const ownerReferences = [{ ...owner, controller: true }]
    await client.create(resource, namespace, { apiVersion, kind, metadata: { name: 'stray', namespace, ownerReferences }, spec })
  }
  for (const [resource] of strays)
    await waitFor('the stray is gone', async () => (await cluster.find(resource, 'stray')) === undefined || undefined)
  if (enough.aborted) return
  await client.patchJson(challengeInstances, namespace, metadata.name, [
    { op: 'replace', path: '/spec/expiresAt', value: new Date(Date.now() + 1000).toISOString() },
    { op: 'add', path: '/metadata/annotations', value: { [drainedAnnotation]: new Date().toISOString() } },
  ])
  const isDeleted = async () => (await cluster.find(challengeInstances, metadata.name)) === undefined || undefined
  await waitFor('the instance is gone', isDeleted)
}

const token = 'a token of the tests'

/**
 * Requests the events of a container until the operator knows the container, or until the signal `enough` is aborted. A request
 * fails if the operator lacks a right.
 */
async function lookInside(cluster: TestCluster, port: string, enough: AbortSignal): Promise<void> {
  const { metadata } = await cluster.create({ image: 'registry.invalid/nothing:1' })
  const path = pathOfEventsRequest({ instance: metadata.name, container: challengeContainer })
  const headers = { authorization: `Bearer ${token}` }
  await waitForValue('the operator answers', async () => {
    if (enough.aborted) return true
    const { status } = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
    return status === 404 ? undefined : true
  }).catch(() => undefined)
}

/** Returns the environment variables `CAPSTAN_GUARD_…` that the chart sets for the operator. */
function guardsEnvironment(namespace: string): NodeJS.ProcessEnv {
  const operator = findManifest(renderChart({ 'instances.namespace': namespace }, namespace), 'Deployment', 'cap-operator')
  const guards = Object.entries(environmentOfDeployment(operator)).filter(([name]) => name.startsWith('CAPSTAN_GUARD_'))
  return Object.fromEntries(guards) as NodeJS.ProcessEnv
}

/**
 * Runs an operator through the life of an instance. The operator has all rights of the chart except the given right.
 * @returns the refused requests
 */
async function operateWithout(right: Right | undefined): Promise<string[]> {
  const cluster = await createTestCluster()
  return whileGranted(cluster, 'operator', right, async () => {
    const inside = { CAPSTAN_OPERATOR_TOKEN: token, CAPSTAN_LOGS_PORT: String(await findFreePort()) }
    const stop = new AbortController()
    const enough = new AbortController()
    const guards = guardsEnvironment(cluster.namespace)
    const config = readConfig({
      ...cluster.environment(),
      ...guards,
      CAPSTAN_CAPTURE_IMAGE: 'registry.invalid/capture:1',
      ...inside,
    })
    const access = as(cluster.access, cluster.namespace, 'operator')
    const operator = createOperator({ config, access, clock: systemClock, log: silentLog, random: Math.random })
    const ended = operator.run(stop.signal)
    try {
      const port = await operator.healthPort
      const life = Promise.all([leadLife(cluster, enough.signal), lookInside(cluster, inside.CAPSTAN_LOGS_PORT, enough.signal)])
      if (right) {
        // Read the refused requests from the metrics until the expected request appears. Do not wait for `life` to end:
        // an operator that cannot renew its lease stops, and its metrics are then lost.
        const missed = async () => {
          const refused = await refusals(port)
          return refused.includes(plainName(right)) ? refused : undefined
        }
        const refused = await waitForValue(`${right.verb} of ${right.resource} is refused`, missed)
        enough.abort()
        await life
        return refused
      }
      await life
      return await refusals(port)
    } finally {
      enough.abort()
      stop.abort()
      await ended
    }
  })
}

/** Returns the name of the resource to which the right applies, without its subresource. Metrics use the same name. */
function plainName({ resource }: Right): string {
  return resource.split('/')[0] ?? ''
}

/** True for the right to delete Secrets. The test of this right is slow, because the operator delays the deletion. */
function isSlow({ verb, resource }: Right): boolean {
  return verb === 'delete' && resource === 'secrets'
}
function slowestFirst(rights: Right[]): Right[] {
  return rights.toSorted((a, b) => Number(isSlow(b)) - Number(isSlow(a)))
}

describe.concurrent('the operator', () => {
  test('needs only the rights that the chart grants', async () => {
    expect(await operateWithout(undefined)).toEqual([])
  })

  test.each(slowestFirst(rightsOf(rolesOf('operator'))).map((right) => ({ ...right, right })))(
    'gets a refusal if it lacks the right to $verb $resource ($group)',
    async ({ right }) => {
      expect(await operateWithout(right)).toContain(plainName(right))
    },
  )
})

/**
 * Opens and closes a terminal in a test instance, through an operator that has the rights of the chart.
 * @param values values of the chart
 * @throws ApiError if the operator refuses
 */
async function openTerminal(values: Values): Promise<void> {
  const cluster = await createTestCluster()
  const open = async (): Promise<void> => {
    const port = String(await findFreePort())
    await cluster.startOperator({
      access: as(cluster.access, cluster.namespace, 'operator'),
      environment: { CAPSTAN_OPERATOR_TOKEN: token, CAPSTAN_LOGS_PORT: port, CAPSTAN_TERMINALS: 'on' },
    })
    const ofTest = { teamId: undefined, participationId: undefined } as unknown as Partial<ChallengeInstanceSpec>
    const { metadata } = await cluster.create(ofTest)
    await cluster.waitForReason(metadata.name, 'Ready')
    const path = pathOfTerminalRequest({ instance: metadata.name, container: challengeContainer })
    const address = new URL(path, `ws://127.0.0.1:${port}`)
    const socket = await openSocket(address, [], { headers: { authorization: `Bearer ${token}` } })
    socket.terminate()
  }
  return whileGranted(cluster, 'operator', undefined, open, values)
}

describe.concurrent('a terminal in a test instance', () => {
  test('if the Helm chart enables terminals, the operator has the right pods/exec and can open a terminal', async () => {
    const values = { 'operator.terminals.enabled': 'true' }
    const exec = rightsOf(rolesOf('operator', 'ctf', values)).filter(({ resource }) => resource === 'pods/exec')
    expect(exec.map(({ verb, isNamespaced }) => [verb, isNamespaced])).toEqual([
      ['get', true],
      ['create', true],
    ])
    await openTerminal(values)
  })

  test('if the Helm chart disables terminals, the API server refuses to open a terminal', async () => {
    expect(rightsOf(rolesOf('operator')).map(({ resource }) => resource)).not.toContain('pods/exec')
    await expect(openTerminal({})).rejects.toMatchObject({ status: 502 })
  })
})

/**
 * Creates, extends, releases and deletes an instance with the permissions of the api, except for `right`.
 * @returns the errors that occurred
 */
async function serveWithout(right: Right | undefined): Promise<unknown[]> {
  const cluster = await createTestCluster()
  return whileGranted(cluster, 'api', right, () => serve(cluster))
}

async function serve(cluster: TestCluster): Promise<unknown[]> {
  const faults: unknown[] = []
  const note = (error: unknown) => void faults.push(error)
  const runtime = createKubernetesRuntime({
    access: as(cluster.access, cluster.namespace, 'api'),
    settings: aKubernetesSettings(cluster.namespace),
    log: { warn: (fields) => note((fields as { err?: unknown }).err) },
  })
  try {
    await waitForValue('the api knows its instances, or why not', async () => runtime.list() ?? faults[0])
    const spec = anInstanceSpec({ containers: [anEntryContainer({ image: 'shop:1', port: 80 })], capture: true })
    await runtime.create(spec).catch(note)
    await runtime.extend(spec.id, new Date(Date.now() + 900_000)).catch(note)
    await runtime.captures?.release(spec.id, new Date()).catch(note)
    // The API server checks the permission before it looks for a metrics server, so the test needs no metrics server.
    await runtime.readUsage?.().catch(note)
    await runtime.delete(spec.id).catch(note)
    const isKnown = () => runtime.find(spec.id) !== undefined
    await waitForValue('the end is seen, or why not', async () => (isKnown() ? faults[0] : true)).catch(note)
    return faults
  } finally {
    await runtime.close()
  }
}

describe.concurrent('the api', () => {
  test('needs only the rights that the chart grants', async () => {
    expect(await serveWithout(undefined)).toEqual([])
  })

  test.each(rightsOf(rolesOf('api')).map((right) => ({ ...right, right })))(
    'gets a refusal if it lacks the right to $verb $resource ($group)',
    async ({ right }) => {
      const faults = await serveWithout(right)
      expect(faults.some((fault) => hasErrorStatus(fault, 403))).toBe(true)
    },
  )
})
