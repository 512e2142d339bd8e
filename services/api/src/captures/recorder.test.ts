import { describe, expect, test } from 'vitest'
import { parseReport } from './recorder.ts'

const good = {
  run: '1767323045000',
  segments: [{ name: '20260102T030405Z-1767323045000.pcap', bytes: 40 }],
  finished: false,
  packets: 1,
  droppedPackets: 0,
  lostSegments: 0,
  lostBytes: 0,
}

describe('a report of a recorder', () => {
  test('is taken as it is', () => {
    expect(parseReport(JSON.stringify(good))).toEqual(good)
  })

  test.each([
    ['nothing', null],
    ['a run that is no number', { ...good, run: "1'; drop" }],
    ['a run of another type', { ...good, run: 1 }],
    ['segments that are no list', { ...good, segments: {} }],
    ['a segment that leads elsewhere', { ...good, segments: [{ name: '../../etc/passwd', bytes: 1 }] }],
    ['a segment of negative size', { ...good, segments: [{ ...good.segments[0], bytes: -1 }] }],
    ['half a packet', { ...good, packets: 0.5 }],
    ['a count beyond all numbers', { ...good, lostBytes: 1e300 }],
    ['no word on its end', { ...good, finished: undefined }],
  ])('with %s is refused', (_what, report) => {
    expect(() => parseReport(JSON.stringify(report))).toThrow('The recorder gave no proper report')
  })

  test('that is no JSON is refused', () => {
    expect(() => parseReport('<html>')).toThrow()
  })
})
