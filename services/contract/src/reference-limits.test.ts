import { expect, test } from 'vitest'
import { toContainerLimits, toReferenceLimits } from './reference-limits.ts'

test('container limits are converted from and to the field names of the reference platform', () => {
  expect(toContainerLimits({ memoryLimit: 64, cpuCount: 5, storageLimit: 512 })).toEqual({
    memoryMb: 64,
    cpuTenths: 5,
    storageMb: 512,
  })
  expect(toContainerLimits({ memoryLimit: null, cpuCount: 5 })).toEqual({ cpuTenths: 5 })
  expect(toReferenceLimits({ memoryMb: 64, cpuTenths: 5, storageMb: 512 })).toEqual({
    ...{ memoryLimit: 64, cpuCount: 5, storageLimit: 512 },
  })
})

test('a storage limit below the minimum of 128 MB is raised to this minimum', () => {
  expect(toContainerLimits({ storageLimit: 0 })).toEqual({ storageMb: 128 })
})
