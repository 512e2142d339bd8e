import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { domain, label, type Ports } from './names.ts'
import type { Sequence } from './sequence.ts'

/**
 * Maximum time that a client waits for the other side to end the connection, in ms. Some hostile instances never end
 * the connection.
 */
const patienceMs = 25

function portOf({ listener }: Sequence, ports: Ports): number {
  return ports[listener === 'http2' ? 'secure' : listener]
}

/**
 * Opens a connection.
 * @returns `outer`, to which bytes are written, and `inner`, the underlying TCP connection, which can be reset
 */
function open({ listener }: Sequence, port: number): Readonly<{ outer: Socket; inner: Socket }> {
  const inner = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
  inner.on('error', () => {})
  if (listener !== 'secure' && listener !== 'http2') return { outer: inner, inner }
  const outer = connectTls({
    socket: inner,
    servername: `${label}.${domain}`,
    rejectUnauthorized: false,
    ALPNProtocols: [listener === 'http2' ? 'h2' : 'http/1.1'],
  })
  outer.on('error', () => {})
  return { outer, inner }
}

/** Sends the bytes of a sequence and ends its connection. Resolves after the connection is closed. */
export async function playFuzzSequence(sequence: Sequence, ports: Ports): Promise<void> {
  const { pieces, pauses, ending, leaves } = sequence
  const { outer, inner } = open(sequence, portOf(sequence, ports))
  const closed = new Promise<void>((resolve) => inner.once('close', () => resolve()))
  const answered = new Promise<void>((resolve) => {
    outer.once('data', () => resolve())
    void closed.then(resolve)
  })
  const sent = ending === 'truncate' ? pieces.slice(0, -1) : pieces
  for (const [index, piece] of sent.entries()) {
    const waitMs = pauses[index]
    if (waitMs === undefined) outer.cork()
    else if (index > 0) await pause(waitMs)
    outer.write(piece)
  }
  const last = ending === 'truncate' ? pieces.at(-1) : undefined
  if (last) outer.write(last.subarray(0, Math.floor(last.length / 2)))
  const written = new Promise<void>((resolve) => outer.write('', () => resolve()))
  for (const _piece of sent) outer.uncork()
  await Promise.race([written, closed])
  if (leaves === 'at answer' || ending === 'wait') await Promise.race([answered, pause(patienceMs)])
  else if (typeof leaves === 'number') await Promise.race([closed, pause(leaves)])
  if (ending === 'half-close' || ending === 'wait') {
    outer.end()
    await Promise.race([closed, pause(patienceMs)])
  }
  if (ending === 'reset') inner.resetAndDestroy()
  else inner.destroy()
  outer.destroy()
  await closed
}
