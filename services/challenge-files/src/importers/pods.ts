import type { ContainerRule } from '../format/challenge.ts'
import type { Fields } from './fields.ts'
import { isPort, isVariableName, readReadinessProbe, readResources, readSecurityContext } from './parts.ts'

/** Readers for Kubernetes pods in descriptors of other platforms. */

export type PodRule = Pick<
  ContainerRule,
  'image' | 'command' | 'args' | 'environment' | 'flag' | 'cpu' | 'memoryMb' | 'readOnlyRoot' | 'user' | 'group' | 'readiness'
> & { readonly port?: number }

const runsElsewhere = 'The platform defines the pod.'
export const onlyOne = 'Each team gets one container per challenge, so this one is not started.'

/** Returns the exposed port of a list, or the first port if no port is exposed. Reports all other ports. */
function readPorts(
  holder: Fields,
  key: 'containerPort' | 'port',
  exposed: ReadonlySet<number>,
  known?: number,
): number | undefined {
  let first = known
  for (const [index, entry] of holder.list('ports').entries()) {
    const fields = holder.element('ports', index, entry)
    const number = fields.number(key)
    fields.leaveOut({ name: 'Ports are identified by their number.', protocol: 'Ports speak TCP.' })
    fields.rest()
    if (!isPort(number)) {
      fields.note(key, 'left-out', 'This must be a port from 1 to 65535.')
      continue
    }
    const isOpen = exposed.size > 0 ? exposed.has(number) : first === undefined || first === number
    if (isOpen) first ??= number
    else fields.note(key, 'left-out', 'Players do not see this port.', 'Add it to `container.ports` if players need it.')
  }
  return first
}

/**
 * Reads the first container of a pod.
 * @param exposed the ports to which players connect. If empty, players connect to the first port
 */
export function readPodContainer(spec: Fields | undefined, exposed: ReadonlySet<number>): PodRule {
  const ofPod = readSecurityContext(spec?.fields('securityContext'))
  let rule: PodRule = {}
  for (const [index, entry] of (spec?.list('containers') ?? []).entries()) {
    const container = spec?.element('containers', index, entry)
    if (container === undefined) continue
    if (index > 0) {
      container.noteAll('left-out', onlyOne, 'Put what the challenge needs into one image.')
      continue
    }
    container.leaveOut({ name: 'Containers have no names here.' })
    const environment: Record<string, string> = {}
    for (const [at, variable] of container.list('env').entries()) {
      const fields = container.element('env', at, variable)
      const name = fields.text('name')
      const value = fields.text('value') ?? ''
      if (fields.take('valueFrom') !== undefined)
        fields.noteAll('left-out', 'Secrets of another cluster are not available.', 'Set it in `container.environment`.')
      else if (name === undefined || !isVariableName(name)) fields.noteAll('left-out', 'This is not a valid variable.')
      else {
        fields.rest()
        environment[name] = value
      }
    }
    const port = readPorts(container, 'containerPort', exposed)
    const image = container.text('image')
    const command = container.texts('command')
    const args = container.texts('args')
    rule = {
      ...(image === undefined ? {} : { image }),
      ...(command.length === 0 ? {} : { command }),
      ...(args.length === 0 ? {} : { args }),
      ...(Object.keys(environment).length === 0 ? {} : { environment }),
      ...readResources(container.fields('resources')),
      ...ofPod,
      ...readSecurityContext(container.fields('securityContext')),
      ...readReadinessProbe(container.fields('readinessProbe')),
      ...(port === undefined ? {} : { port }),
    }
    container.leaveOut({
      imagePullPolicy: runsElsewhere,
      volumeMounts: 'Volumes are not mounted.',
      livenessProbe: runsElsewhere,
      startupProbe: 'An instance is ready when it accepts connections.',
    })
    container.rest()
  }
  spec?.leaveOut({
    volumes: 'Volumes are not mounted.',
    restartPolicy: runsElsewhere,
    terminationGracePeriodSeconds: runsElsewhere,
    automountServiceAccountToken: 'Instances have no service account token.',
    serviceAccountName: 'Instances have no service account.',
    enableServiceLinks: 'Instances have no links to services.',
    runtimeClassName: 'The runtime is chosen by the operator.',
    nodeSelector: 'Nodes are chosen by the operator.',
    tolerations: 'Nodes are chosen by the operator.',
    imagePullSecrets: 'Secrets of another cluster are not available.',
  })
  spec?.rest()
  return rule
}

export type Exposed = Readonly<{
  name?: string | undefined
  ports: ReadonlySet<number>
  reportUnknown: () => void
}>

/** Returns the exposed pod of a list, or the first pod if no pod is exposed. Reports all other pods. */
export function readExposedPod(holder: Fields, key: string, exposed: Exposed): PodRule & { readonly egress?: boolean } {
  const entries = holder.list(key)
  const named = entries.findIndex((entry) => (entry as { name?: unknown } | null)?.name === exposed.name)
  if (exposed.name !== undefined && named === -1) exposed.reportUnknown()
  let rule: PodRule & { egress?: boolean } = {}
  for (const [index, entry] of entries.entries()) {
    const pod = holder.element(key, index, entry)
    if (index !== Math.max(0, named)) {
      pod.noteAll('left-out', onlyOne, 'Put what the challenge needs into one image.')
      continue
    }
    if (pod.keys.includes('name')) pod.note('name', 'left-out', 'Pods are named by the platform.')
    const egress = pod.boolean('egress')
    const read = readPodContainer(pod.fields('spec'), exposed.ports)
    const port = readPorts(pod, 'port', exposed.ports, read.port)
    rule = { ...read, ...(port === undefined ? {} : { port }), ...(egress === undefined ? {} : { egress }) }
    pod.leaveOut({ replicas: 'Each team starts its own instance.' })
    pod.rest()
  }
  return rule
}
