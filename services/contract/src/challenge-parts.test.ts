import { describe, expect, test } from 'vitest'
import { containerOf, defaultContainer, lacksFlag, withContainer, withFlags } from './challenge-parts.ts'

test('sets some settings of a container and retains the others', () => {
  const before = { containers: [{ ...defaultContainer, image: 'x:1', definition: { user: 7 } }] }
  const reach = { speaks: 'http', isRaw: true, hasOwnCertificate: false } as const
  expect(containerOf(withContainer(before, { reach }))).toEqual({ ...containerOf(before), reach })
})

test('a challenge lacks a flag if its type has a list of flags and the list is empty', () => {
  expect(lacksFlag({ type: 'StaticAttachment', flags: [] })).toBe(true)
  expect(lacksFlag({ type: 'DynamicAttachment', flags: ['flag{a}'] })).toBe(false)
  expect(lacksFlag({ type: 'DynamicContainer', flags: [] })).toBe(false)
})

describe('a challenge with other flags', () => {
  const flags: readonly { readonly id: number }[] = [{ id: 1 }, { id: 2 }]
  const enabled = { type: 'StaticContainer', enabled: true, flags } as const

  test('remains enabled while it has a flag', () => {
    expect(withFlags(enabled, [{ id: 2 }])).toEqual({ ...enabled, flags: [{ id: 2 }] })
  })

  test('is disabled without its last flag', () => {
    expect(withFlags(enabled, [])).toEqual({ ...enabled, enabled: false, flags: [] })
  })

  test('remains enabled without a flag if its type generates flags', () => {
    expect(withFlags({ ...enabled, type: 'DynamicContainer' }, [])).toMatchObject({ enabled: true })
  })

  test('remains disabled', () => {
    expect(withFlags({ ...enabled, enabled: false }, [{ id: 2 }])).toMatchObject({ enabled: false })
  })
})
