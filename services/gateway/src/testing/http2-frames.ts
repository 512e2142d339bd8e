import { hostOf, label } from './reach-world.ts'

/** Returns an HTTP/2 frame (RFC 9113, section 4.1). */
export function createHttp2Frame(type: number, flags: number, stream: number, payload: readonly number[]): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, Buffer.from(payload)])
}

export const [data, headers, priority, resetStream, settings, ping, continuation] = [0, 1, 2, 3, 4, 6, 9]
export const [endStream, endHeaders] = [1, 4]

/**
 * Returns the bytes with which an HTTP/2 client begins a connection: the preface and a SETTINGS frame.
 * @param wishes payload of the SETTINGS frame
 */
export function createHttp2ClientPreface(wishes: readonly number[] = []): Buffer {
  return Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), createHttp2Frame(settings, 0, 0, wishes)])
}
export const beginning = createHttp2ClientPreface()

function requestBy(method: number): readonly number[] {
  return [...[method, 0x84, 0x87, 0x41, hostOf(label).length], ...Buffer.from(hostOf(label))]
}
export const [get, post] = [requestBy(0x82), requestBy(0x83)]

/** Header block of a CONNECT request, which has a method and a host only. */
export const connectRequest: readonly number[] = [
  ...[0x02, 7, ...Buffer.from('CONNECT')],
  ...[0x41, hostOf(label).length, ...Buffer.from(hostOf(label))],
]
