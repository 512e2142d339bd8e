import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { findManifest, renderChart, type Values } from './render.ts'

/**
 * Objects whose pods must not restart at an upgrade. `recorded/` contains their pod templates from the last release. If a template
 * changes, its pods restart at the next upgrade. To record an intended change, run `npm run test:cluster -- stateful-parts -u`, and
 * mention the restart under "Upgrade" in docs/operations.md.
 */
const parts = [
  ['StatefulSet', 'postgresql'],
  ['Deployment', 'redis'],
] as const

/** Values that must not affect the bundled databases. */
const unrelated: Values = {
  'image.repository': 'registry.example/next',
  'image.tag': '9.9.9',
  'image.digests.api': `sha256:${'0'.repeat(64)}`,
  publicOrigin: 'https://next.example.org',
  trustedProxies: '10.0.0.0/8',
  logLevel: 'debug',
  'api.replicas': '3',
  'blobs.folder.accessMode': 'ReadWriteMany',
  'instances.egress': 'Internet',
  'capture.enabled': 'true',
  'monitoring.alerts.enabled': 'true',
  'tracing.endpoint': 'http://collector:4318',
  'podDisruptionBudget.maxUnavailable': '2',
}

describe.each(parts)('the %s %s', (kind, name) => {
  const templateOf = (values: Values) => findManifest(renderChart(values), kind, `cap-${name}`)?.spec.template

  test('has the same pod template as in the last release', async () => {
    await expect(stringify(templateOf({}))).toMatchFileSnapshot(`recorded/${name}.yaml`)
  })

  test('has the same pod template if unrelated values change', () => {
    expect(templateOf(unrelated)).toEqual(templateOf({}))
  })

  test('has no label, annotation or environment variable that depends on the chart version', () => {
    const { metadata, spec } = templateOf({})
    expect(Object.keys(metadata)).toEqual(['labels'])
    const names = ['app.kubernetes.io/component', 'app.kubernetes.io/instance', 'app.kubernetes.io/name']
    expect(Object.keys(metadata.labels).sort()).toEqual(names)
    expect(JSON.stringify(spec)).not.toMatch(/checksum|helm\.sh|app\.kubernetes\.io\/version/)
  })
})

test('the StatefulSet postgresql does not change the immutable fields of the last release', async () => {
  const { selector, serviceName, volumeClaimTemplates, podManagementPolicy } =
    findManifest(renderChart(), 'StatefulSet', 'cap-postgresql')?.spec ?? {}
  const fixed = { selector, serviceName, volumeClaimTemplates, podManagementPolicy }
  await expect(stringify(fixed)).toMatchFileSnapshot('recorded/postgresql-fixed-fields.yaml')
})
