import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { parseAllDocuments } from 'yaml'

export interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace?: string; annotations?: Record<string, string>; labels?: Record<string, string> }
  // biome-ignore lint/suspicious/noExplicitAny: manifests of any kind
  spec: any
  data?: Record<string, string>
}

/** Values of the chart, as a map from path to value in the format of `helm --set`. */
export type Values = Readonly<Record<string, string>>

const chart = path.join(import.meta.dirname, '..')

/**
 * Renders the chart as the release `cap`, by default with an example registry. The machine needs helm, which is available where
 * cluster tests run.
 */
function helm(command: string[], values: Values, namespace: string): string {
  const set = { 'image.repository': 'registry.example/ctf', ...values }
  const flags = Object.entries(set).flatMap(([key, value]) => ['--set', `${key}=${value}`])
  return execFileSync('helm', [...command, 'cap', chart, '--namespace', namespace, ...flags], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: 'pipe',
  })
}

/** Returns the notes that helm would print after an installation. Nothing is installed. Helm only reads the cluster's version. */
export function renderChartNotes(values: Values): string {
  return helm(['install', '--dry-run=server'], { 'crds.install': 'false', ...values }, 'ctf').split('\nNOTES:\n')[1] ?? ''
}

/**
 * Renders the chart for `namespace` with access to the cluster, so that `lookup` finds the objects of the cluster. Nothing is
 * installed.
 */
export function renderChartOnCluster(values: Values, namespace: string): string {
  return helm(['template', '--dry-run=server'], { 'crds.install': 'false', ...values }, namespace)
}

export function renderChart(values: Values = {}, namespace = 'ctf'): Manifest[] {
  const output = helm(['template'], values, namespace)
  // helm and kubectl read YAML 1.1, where `on` and `no` are booleans.
  return parseAllDocuments(output, { version: '1.1' })
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null)
}

export function findManifest(manifests: Manifest[], kind: string, name: string): Manifest | undefined {
  return manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name)
}

/** Returns the environment of a pod's first container: for each name, the value or its source. */
export function environmentOfPod(pod: Manifest['spec']): Record<string, unknown> {
  return Object.fromEntries(
    pod.containers[0].env.map((entry: { name: string; value?: string; valueFrom?: unknown }) => [
      entry.name,
      entry.value ?? entry.valueFrom,
    ]),
  )
}

export function environmentOfDeployment(deployment: Manifest | undefined): Record<string, unknown> {
  return environmentOfPod(deployment?.spec.template.spec)
}
