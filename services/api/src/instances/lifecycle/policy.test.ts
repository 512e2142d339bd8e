import { expect, test } from 'vitest'
import {
  decideStartAtInstanceLimit,
  getExpiryAfterExtension,
  getExpiryAfterStart,
  getRemainingCooldownMs,
  refuseInstanceExtension,
  refuseInstanceStart,
} from './policy.ts'

const now = new Date('2026-05-01T12:00:00.000Z')
function at(offsetMs: number) {
  return new Date(now.getTime() + offsetMs)
}

test.each([
  ['StaticContainer', 'shop:1', 80, [], undefined],
  ['DynamicContainer', 'shop:1', 65535, ['db:1'], undefined],
  ['StaticAttachment', 'shop:1', 80, [], 'instance.type'],
  ['DynamicAttachment', 'shop:1', 80, [], 'instance.type'],
  ['StaticContainer', '', 80, [], 'instance.not-configured'],
  ['StaticContainer', '  ', 80, [], 'instance.not-configured'],
  ['StaticContainer', 'shop:1', 80, ['db:1', ''], 'instance.not-configured'],
  ['DynamicContainer', 'shop:1', 0, [], 'instance.not-configured'],
] as const)(
  'for a %s challenge with image %j, port %i and additional images %j, the problem is %s',
  (type, containerImage, port, images, refusal) => {
    const furtherContainers = images.map((image) => ({ image }))
    expect(refuseInstanceStart({ type, containerImage, port, furtherContainers })).toBe(refusal)
  },
)

test.each([
  ['never', null, 0],
  ['just now', at(0), 10_000],
  ['9.999 s ago', at(-9_999), 1],
  ['10 s ago', at(-10_000), 0],
  ['long ago', at(-3_600_000), 0],
] as const)('returns the remaining cool-down if the last start or stop was %s', (_name, last, leftMs) => {
  expect(getRemainingCooldownMs(last, now)).toBe(leftMs)
})

test.each([
  [[], 0, false, { kind: 'free' }],
  [['a', 'b', 'c'], 0, false, { kind: 'free' }],
  [['a', 'b'], 3, false, { kind: 'free' }],
  [['a', 'b', 'c'], 3, false, { kind: 'refused' }],
  [['a', 'b', 'c'], 3, true, { kind: 'replace', instances: ['a'] }],
  [['a', 'b', 'c', 'd'], 3, true, { kind: 'replace', instances: ['a', 'b'] }],
] as const)(
  'instances %j, limit %i, auto-destroy %s: the decision about a start is %j',
  (running, limit, destroysOldest, decision) => {
    expect(decideStartAtInstanceLimit(running, limit, destroysOldest)).toEqual(decision)
  },
)

test('an instance ends the given number of minutes after its start', () => {
  expect(getExpiryAfterStart(now, 120)).toEqual(new Date('2026-05-01T14:00:00.000Z'))
})

test.each([
  ['11 minutes before the end', at(11 * 60_000), 'instance.not-extendable'],
  ['a millisecond before the window', at(10 * 60_000 + 1), 'instance.not-extendable'],
  ['when the window opens', at(10 * 60_000), undefined],
  ['a second before the end', at(1_000), undefined],
] as const)('allows an extension only in the last ten minutes: %s', (_name, expiresAt, refusal) => {
  expect(refuseInstanceExtension(expiresAt, now, 10)).toBe(refusal)
})

test('an extension is added to the end of the instance, not to the current time', () => {
  expect(getExpiryAfterExtension(at(5 * 60_000), 120)).toEqual(at(125 * 60_000))
})
