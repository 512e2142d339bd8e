import { expect, test } from 'vitest'
import { limitsOf, referenceLimitsOf } from './reference-limits.ts'

test('converts limits with the names of the reference, and omits absent ones', () => {
  expect(limitsOf({ memoryLimit: 64, cpuCount: 5, storageLimit: 512 })).toEqual({ memoryMb: 64, cpuTenths: 5, storageMb: 512 })
  expect(limitsOf({ memoryLimit: null, cpuCount: 5 })).toEqual({ cpuTenths: 5 })
  expect(referenceLimitsOf({ memoryMb: 64, cpuTenths: 5, storageMb: 512 })).toEqual({
    ...{ memoryLimit: 64, cpuCount: 5, storageLimit: 512 },
  })
})

test('raises storage to the minimum of 128 MB', () => {
  expect(limitsOf({ storageLimit: 0 })).toEqual({ storageMb: 128 })
})
