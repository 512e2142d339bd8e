import { expect, test } from 'vitest'
import { fileNameOfSegment, isSegmentName, originOfCaptureFile } from './segment.ts'

const instanceId = '0a1b2c3d-0000-4000-8000-000000000001'

test.each([
  ['20260102T030405Z-1767323045000.pcap', '0a1b2c3d-20260102T030405Z-1767323045000-0000.pcap'],
  ['20260102T030405Z-1767323045000.pcap7', '0a1b2c3d-20260102T030405Z-1767323045000-0007.pcap'],
  ['20260102T030405Z-1767323045000.pcap12', '0a1b2c3d-20260102T030405Z-1767323045000-0012.pcap'],
])('stores the segment %s as %s', (segment, file) => {
  expect([isSegmentName(segment), fileNameOfSegment(instanceId, segment)]).toEqual([true, file])
})

test.each(['', 'x.pcap', '../20260102T030405Z-1.pcap', '20260102T030405Z-1.pcap/..', '20260102T030405Z-1.pcapng'])(
  'refuses the name %j, which no recorder uses',
  (name) => {
    expect(isSegmentName(name)).toBe(false)
    expect(() => fileNameOfSegment(instanceId, name)).toThrow()
  },
)

test('stores a segment of one of several containers under the name of its container', () => {
  const file = fileNameOfSegment(instanceId, '20260102T030405Z-1767323045000.pcap7', 'my-db')
  expect(file).toBe('0a1b2c3d-20260102T030405Z-1767323045000-0007-my-db.pcap')
  expect(originOfCaptureFile(file).container).toBe('my-db')
})

test('finds no container in a file name without a container name', () => {
  for (const file of ['0a1b2c3d-20260102T030405Z-1767323045000-0007.pcap', 'a.pcap', '0a1b2c3d-conn-db.pcap'])
    expect(originOfCaptureFile(file).container).toBeNull()
})

test('sorts the files of a container by time, even if the files belong to different instances', () => {
  const files = ['ffffffff-20260102T030405Z-99-0002', 'ffffffff-20260102T030405Z-99-0010', '00000000-20260102T030406Z-100-0000']
  const sorted = files.map((name) => originOfCaptureFile(`${name}.pcap`).order)
  expect(sorted.toSorted()).toEqual(sorted)
})
