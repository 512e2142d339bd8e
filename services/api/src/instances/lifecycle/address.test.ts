import { describe, expect, test } from 'vitest'
import { currentAddressesOf, isAddressInDoubt, listFormerAddresses } from './address.ts'
import type { ObservedState } from './runtime.ts'

const page = { host: '10.0.0.1', port: 80 }
const db = { host: '10.0.0.2', port: 5432 }
const other = { host: '10.0.0.9', port: 5432 }
const row = { ...page, furtherPlaces: { 'db:5432': db } }
const noAddress = { host: null, port: null, furtherPlaces: null }

function pending(values: Partial<ObservedState> = {}): ObservedState {
  return { reason: 'Restarting', message: 'It restarts.', ...values, kind: 'pending' }
}
const failed: ObservedState = { kind: 'failed', reason: 'CrashLooping', message: 'It crashes.' }

function ready(furtherPlaces = row.furtherPlaces): ObservedState {
  return { kind: 'ready', ...page, furtherPlaces }
}
const both = { entry: page, furtherPlaces: { 'db:5432': db } }

describe.each<[string, ObservedState | undefined, ReturnType<typeof currentAddressesOf>]>([
  ['does not know the instance', undefined, both],
  ['reports the same addresses', ready(), both],
  ['reports that a starting instance retains its addresses', pending({ address: page, furtherPlaces: row.furtherPlaces }), both],
  ['reports another entry address', { kind: 'ready', ...other, furtherPlaces: row.furtherPlaces }, { ...both, entry: undefined }],
  ['reports another address of an additional container', ready({ 'db:5432': other }), { entry: page, furtherPlaces: {} }],
  ['reports no addresses', pending(), { entry: undefined, furtherPlaces: {} }],
])('if the runtime %s', (_name, observed, current) => {
  test('the gateways use only the addresses on which row and runtime agree', () => {
    expect(currentAddressesOf(row, observed)).toEqual(current)
  })

  test('all other addresses of the row are former addresses', () => {
    const former = [...(current.entry ? [] : [page]), ...(current.furtherPlaces['db:5432'] ? [] : [db])]
    expect(observed ? listFormerAddresses(row, observed) : []).toEqual(former)
  })

  test('a port is in doubt if the runtime contradicts its address', () => {
    expect(isAddressInDoubt(row, observed)).toBe(current.entry === undefined)
    expect(isAddressInDoubt(row, observed, 'db:5432')).toBe(current.furtherPlaces['db:5432'] === undefined)
  })
})

test('a row without addresses has neither current nor former addresses', () => {
  expect(currentAddressesOf(noAddress, ready())).toEqual({ entry: undefined, furtherPlaces: {} })
  expect(listFormerAddresses(noAddress, ready())).toEqual([])
})

test('an address of an additional container is in doubt if it is only in the runtime, but not if it is in neither row nor runtime', () => {
  expect(isAddressInDoubt({ ...row, furtherPlaces: null }, ready(), 'db:5432')).toBe(true)
  expect(isAddressInDoubt(row, ready(), 'cache:6379')).toBe(false)
})

test('no address of a failed instance is in doubt', () => {
  expect([isAddressInDoubt(row, failed), isAddressInDoubt(row, failed, 'db:5432')]).toEqual([false, false])
})
