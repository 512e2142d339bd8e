import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { connectRecorder, parseRecorderReport } from './recorder.ts'

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
  test('a valid report of a recorder is accepted unchanged', () => {
    expect(parseRecorderReport(JSON.stringify(good))).toEqual(good)
  })

  test.each([
    ['nothing', null],
    ['a run that is not a number', { ...good, run: "1'; drop" }],
    ['a run of another type', { ...good, run: 1 }],
    ['segments that are not a list', { ...good, segments: {} }],
    ['a segment whose name is a path', { ...good, segments: [{ name: '../../../etc/passwd', bytes: 1 }] }],
    ['a segment of negative size', { ...good, segments: [{ ...good.segments[0], bytes: -1 }] }],
    ['a fraction of a packet', { ...good, packets: 0.5 }],
    ['a count that is too large', { ...good, lostBytes: 1e300 }],
    ['no field for its end', { ...good, finished: undefined }],
  ])('a report of a recorder is refused if it has %s', (_what, report) => {
    expect(() => parseRecorderReport(JSON.stringify(report))).toThrow('The report of the recorder is invalid')
  })

  test('a report of a recorder is refused if it is not JSON', () => {
    expect(() => parseRecorderReport('<html>')).toThrow()
  })
})

test('a request to a recorder fails after its maximum time, even if single bytes still arrive', async () => {
  const server = createServer((_request, response) => {
    const timer = setInterval(() => response.write(' '), 10)
    response.once('close', () => clearInterval(timer))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const address = { host: '127.0.0.1', port: (server.address() as AddressInfo).port }
  const recorder = connectRecorder(address, new AbortController().signal, { maxRequestMs: 200 })
  await expect(recorder.report()).rejects.toThrow()
  await expect(recorder.open('20260102T030405Z-1767323045000.pcap').then((body) => body.toArray())).rejects.toThrow()
  await new Promise((resolve) => server.close(resolve))
})

test('a request to a recorder fails if a hostile program switches to another protocol', async () => {
  const server = createServer(({ socket }) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const address = { host: '127.0.0.1', port: (server.address() as AddressInfo).port }
  await expect(connectRecorder(address, new AbortController().signal).report()).rejects.toThrow('without an answer')
  await new Promise((resolve) => server.close(resolve))
})
