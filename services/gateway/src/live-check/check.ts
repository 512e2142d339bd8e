import { setTimeout as pause } from 'node:timers/promises'
import { hubs, liveCheckGameId } from '@capstan/contract/events'
import { WebSocket } from 'ws'

const recordSeparator = '\u001e'

export type LiveCheckOptions = Readonly<{
  siteUrl: string
  /** Publishes a new text through any api process to the room of `liveCheckGameId`, and returns the text. */
  publish: () => Promise<string>
  connections?: number
  texts?: number
  /** Maximum time until all connections have received a published text, in ms. */
  textMs?: number
  checkMs?: number
}>

interface Listener {
  readonly socket: WebSocket
  received: string
}

/**
 * Checks that messages from every api replica reach players through every gateway replica. The check succeeds once every
 * connection has received several consecutive texts. A connection may miss texts that were published before the gateway admitted
 * it.
 * @throws Error whose message is a sentence for the operator
 */
export async function checkLiveMessages(options: LiveCheckOptions): Promise<void> {
  const { siteUrl, publish, connections = 8, texts = 4, textMs = 3_000, checkMs = 60_000 } = options
  const endsAtMs = performance.now() + checkMs
  const listeners = await Promise.all(Array.from({ length: connections }, () => listen(siteUrl)))
  try {
    let consecutive = 0
    while (consecutive < texts) {
      const missing = await countWithout(listeners, await publish(), textMs)
      consecutive = missing === 0 ? consecutive + 1 : 0
      // Fail only if a text is missing. Without a missing text, continue even after the timeout, because slow connection attempts
      // may have used up the time.
      if (missing > 0 && performance.now() > endsAtMs)
        throw new Error(
          `${missing} of ${connections} connections did not receive the message of an api process: messages do not pass through Redis. Check /readyz of the api and gateway pods, which shows whether they reach Redis.`,
        )
    }
  } finally {
    for (const { socket } of listeners) socket.terminate()
  }
}

/** Returns the number of connections that did not receive the text in time. */
async function countWithout(listeners: readonly Listener[], text: string, textMs: number): Promise<number> {
  const endsAtMs = performance.now() + textMs
  for (;;) {
    const missing = listeners.filter(({ received }) => !received.includes(text)).length
    if (missing === 0 || performance.now() > endsAtMs) return missing
    await pause(20)
  }
}

async function listen(siteUrl: string): Promise<Listener> {
  const url = new URL(`${hubs.user.path}?game=${liveCheckGameId}`, siteUrl)
  url.protocol = url.protocol.replace('http', 'ws')
  const socket = new WebSocket(url, { handshakeTimeout: 10_000, perMessageDeflate: false })
  const listener: Listener = { socket, received: '' }
  socket.on('message', (data) => {
    listener.received += String(data)
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', (cause) => reject(new Error(`No connection to ${url.href}: ${cause.message}`, { cause })))
  })
  socket.on('error', () => {})
  socket.send(JSON.stringify({ protocol: 'json', version: 1 }) + recordSeparator)
  return listener
}
