import { setTimeout as pause } from 'node:timers/promises'
import { hubs, liveCheckGameId } from '@capstan/contract/events'
import { WebSocket } from 'ws'

/** SignalR ends each message with it. */
const recordSeparator = '\u001e'

export interface LiveCheckOptions {
  /** Where players open the site. */
  readonly siteUrl: string
  /** Has an api process publish a new text to the room of the check, and returns the text. */
  readonly publish: () => Promise<string>
  /** The Services in between send each connection and each call to any replica, so several connections reach all of them. */
  readonly connections?: number
  readonly texts?: number
  /** How long one text may take to reach all connections, and how long the whole check may take, in milliseconds. */
  readonly textMs?: number
  readonly checkMs?: number
}

interface Listener {
  readonly socket: WebSocket
  received: string
}

/**
 * Checks that what the api publishes reaches players' sockets, from every replica to every replica: every connection must receive
 * several texts in a row. Connections may miss the first texts, because they are still being admitted.
 * @throws Error with a sentence for a person
 */
export async function checkLive(options: LiveCheckOptions): Promise<void> {
  const { siteUrl, publish, connections = 8, texts = 4, textMs = 3_000, checkMs = 60_000 } = options
  const endsAtMs = performance.now() + checkMs
  const listeners = await Promise.all(Array.from({ length: connections }, () => listen(siteUrl)))
  try {
    let inARow = 0
    while (inARow < texts) {
      const missing = await countWithout(listeners, await publish(), textMs)
      inARow = missing === 0 ? inARow + 1 : 0
      // Who is being heard is not given up, however long it took to connect.
      if (missing > 0 && performance.now() > endsAtMs)
        throw new Error(
          `${missing} of ${connections} connections did not hear what an api process said: messages do not pass through Redis. /readyz of the pods of api and gateway says whether they reach it.`,
        )
    }
  } finally {
    for (const { socket } of listeners) socket.terminate()
  }
}

/** How many connections did not receive the text in time. */
async function countWithout(listeners: readonly Listener[], text: string, textMs: number): Promise<number> {
  const endsAtMs = performance.now() + textMs
  for (;;) {
    const missing = listeners.filter(({ received }) => !received.includes(text)).length
    if (missing === 0 || performance.now() > endsAtMs) return missing
    await pause(20)
  }
}

/** Connects as the page of a game does. */
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
