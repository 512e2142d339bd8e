import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Text that is appended to the client's key before the key is hashed (RFC 6455, section 1.3). */
const acceptSuffix = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const keyForm = /^[+/0-9A-Za-z]{22}==$/

/**
 * Returns the response that opens the WebSocket (RFC 6455, section 4.2.2). The response selects no subprotocol and no extension.
 * @returns undefined if the request is malformed
 */
export function createWebSocketAcceptResponse(request: IncomingMessage): string | undefined {
  const { 'sec-websocket-key': key, 'sec-websocket-version': version } = request.headers
  if (request.method !== 'GET' || version !== '13' || key === undefined || !keyForm.test(key)) return undefined
  const accept = createHash('sha1')
    .update(key + acceptSuffix)
    .digest('base64')
  return [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${accept}`,
    '',
    '',
  ].join('\r\n')
}
