import { describe, expect, it } from 'vitest'
import { hasAllDesiredValues } from './apply.ts'
import type { DesiredObject, KubeObject } from './types.ts'

const desired: DesiredObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's', namespace: 'n', labels: { app: 'a' } },
  spec: { type: 'ClusterIP', ports: [{ port: 80 }], selector: {} },
}
function observed(spec: object): KubeObject & { spec: object } {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 's',
      namespace: 'n',
      uid: 'u',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { app: 'a', other: 'b' },
    },
    spec,
  }
}

describe('hasAllDesiredValues', () => {
  it('ignores fields that others set: defaults, allocated values, additional labels', () => {
    expect(
      hasAllDesiredValues(
        desired,
        observed({ type: 'ClusterIP', clusterIP: '10.0.0.1', ports: [{ port: 80, protocol: 'TCP' }] }),
      ),
    ).toBe(true)
  })

  it.each([
    ['a changed field', { type: 'NodePort', ports: [{ port: 80 }] }],
    ['a missing field', { ports: [{ port: 80 }] }],
    ['a changed element', { type: 'ClusterIP', ports: [{ port: 81 }] }],
    ['a further element', { type: 'ClusterIP', ports: [{ port: 80 }, { port: 81 }] }],
    ['a missing list', { type: 'ClusterIP' }],
  ])('an object with %s does not count as applied', (_what, spec) => {
    expect(hasAllDesiredValues(desired, observed(spec))).toBe(false)
  })

  it('a missing object does not count as applied', () => {
    expect(hasAllDesiredValues(desired, undefined)).toBe(false)
  })
})
