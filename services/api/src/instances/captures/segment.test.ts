import { expect, test } from 'vitest'
import { captureFileName, isSegmentName } from './segment.ts'

const instanceId = '0a1b2c3d-0000-4000-8000-000000000001'

test.each([
  ['20260102T030405Z-1767323045000.pcap', '0a1b2c3d-20260102T030405Z-1767323045000-0000.pcap'],
  ['20260102T030405Z-1767323045000.pcap7', '0a1b2c3d-20260102T030405Z-1767323045000-0007.pcap'],
  ['20260102T030405Z-1767323045000.pcap12', '0a1b2c3d-20260102T030405Z-1767323045000-0012.pcap'],
])('stores %s as %s', (segment, file) => {
  expect([isSegmentName(segment), captureFileName(instanceId, segment)]).toEqual([true, file])
})

test.each(['', 'x.pcap', '../20260102T030405Z-1.pcap', '20260102T030405Z-1.pcap/..', '20260102T030405Z-1.pcapng'])(
  'refuses the name %j, which no recorder uses',
  (name) => {
    expect(isSegmentName(name)).toBe(false)
    expect(() => captureFileName(instanceId, name)).toThrow()
  },
)
