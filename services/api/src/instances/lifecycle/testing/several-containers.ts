import type { FurtherContainer } from '@capstan/contract/containers'
import type { SeveralContainers } from '../runtime.ts'

/** Returns a small additional container without ports. */
export function aFurtherContainer(name: string, values: Partial<FurtherContainer> = {}): FurtherContainer {
  return { name, image: 'echo:1', cpuTenths: 1, memoryMb: 64, storageMb: 64, definition: {}, ...values }
}

/** Returns the settings of an instance whose first container is `page`. */
export function createSettingsOfSeveralContainers(
  further: readonly FurtherContainer[],
  first: SeveralContainers['first'] = {},
): SeveralContainers {
  return { first: { name: 'page', ...first }, further, secrets: {} }
}
