import { describe, expect, test } from 'vitest'
import { changeEntryContainer, defaultContainer, entryContainerOf, lacksFlag, replaceFlags } from './challenge-parts.ts'

test('a change of one setting of the entry container retains all other settings', () => {
  const before = { containers: [{ ...defaultContainer, image: 'x:1', definition: { user: 7 } }] }
  const reach = { speaks: 'http', isRaw: true, hasOwnCertificate: false } as const
  expect(entryContainerOf(changeEntryContainer(before, { reach }))).toEqual({ ...entryContainerOf(before), reach })
})

test('a challenge lacks a flag only if its type uses a list of flags and the list is empty', () => {
  expect(lacksFlag({ type: 'StaticAttachment', flags: [] })).toBe(true)
  expect(lacksFlag({ type: 'DynamicAttachment', flags: ['flag{a}'] })).toBe(false)
  expect(lacksFlag({ type: 'DynamicContainer', flags: [] })).toBe(false)
})

describe('a challenge whose flags are replaced', () => {
  const flags: readonly { readonly id: number }[] = [{ id: 1 }, { id: 2 }]
  const enabled = { type: 'StaticContainer', enabled: true, flags } as const

  test('a challenge remains enabled if it still has a flag', () => {
    expect(replaceFlags(enabled, [{ id: 2 }])).toEqual({ ...enabled, flags: [{ id: 2 }] })
  })

  test('a challenge is disabled if no flag remains', () => {
    expect(replaceFlags(enabled, [])).toEqual({ ...enabled, enabled: false, flags: [] })
  })

  test('a challenge remains enabled without flags if its type generates flags', () => {
    expect(replaceFlags({ ...enabled, type: 'DynamicContainer' }, [])).toMatchObject({ enabled: true })
  })

  test('a disabled challenge remains disabled', () => {
    expect(replaceFlags({ ...enabled, enabled: false }, [{ id: 2 }])).toMatchObject({ enabled: false })
  })
})
