import { expect, it } from 'vitest'
import { findUndesiredObjects } from './prune.ts'
import type { DesiredObject, KubeObject } from './types.ts'

function owned(name: string, more: Partial<KubeObject['metadata']> = {}): KubeObject {
  return {
    metadata: { name, namespace: 'n', uid: name, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z', ...more },
  }
}
function wanted(kind: string, name: string): DesiredObject {
  return { apiVersion: 'v1', kind, metadata: { name, namespace: 'n' } }
}

it('returns owned objects that are neither desired nor being deleted', () => {
  const all = [owned('keep'), owned('old'), owned('leaving', { deletionTimestamp: '2026-01-01T00:00:00Z' })]
  const names = findUndesiredObjects(all, 'Service', [wanted('Service', 'keep'), wanted('Pod', 'old')]).map(
    ({ metadata }) => metadata.name,
  )
  expect(names).toEqual(['old'])
})
