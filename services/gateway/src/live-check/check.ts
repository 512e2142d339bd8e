import { setTimeout as pause } from 'node:timers/promises'
import { hubs, liveCheckGameId } from '@capstan/contract/events'
import { WebSocket } from 'ws'

/** SignalR ends each message with it. */
const recordSeparator = '\u001e'

export interface LiveCheckOptions {
  /** Where players open the site. */
  readonly siteUrl: string
  /** Has an api process say a new word in the room of the check. */
  readonly say: () => Promise<string>
  /** The Services in between give each connection and each call to any replica: several meet all of them. */
  readonly connections?: number
  readonly words?: number
  /** How long a word may take to be heard by all, and the whole check, in milliseconds. */
  readonly wordMs?: number
  readonly checkMs?: number
}

interface Listener {
  readonly socket: WebSocket
  heard: string
}

/**
 * Whether what the api says reaches players' sockets, from whichever replica to whichever: several words in a row that every connection
 * hears. The first ones may be missed, while connections are still being let in.
 * @throws Error with a sentence for a person
 */
export async function checkLive(options: LiveCheckOptions): Promise<void> {
  const { siteUrl, say, connections = 8, words = 4, wordMs = 3_000, checkMs = 60_000 } = options
  const endsAtMs = performance.now() + checkMs
  const listeners = await Promise.all(Array.from({ length: connections }, () => listen(siteUrl)))
  try {
    let inARow = 0
    let deaf = 0
    while (inARow < words) {
      if (performance.now() > endsAtMs)
        throw new Error(
          `${deaf} of ${connections} connections did not hear what an api process said: messages do not pass through Redis. /readyz of the pods of api and gateway says whether they reach it.`,
        )
      deaf = await countDeaf(listeners, await say(), wordMs)
      inARow = deaf === 0 ? inARow + 1 : 0
    }
  } finally {
    for (const { socket } of listeners) socket.terminate()
  }
}

/** How many have not heard the word in its time. */
async function countDeaf(listeners: readonly Listener[], word: string, wordMs: number): Promise<number> {
  const endsAtMs = performance.now() + wordMs
  for (;;) {
    const deaf = listeners.filter(({ heard }) => !heard.includes(word)).length
    if (deaf === 0 || performance.now() > endsAtMs) return deaf
    await pause(20)
  }
}

/** Connects as the page of a game does. */
async function listen(siteUrl: string): Promise<Listener> {
  const url = new URL(`${hubs.user.path}?game=${liveCheckGameId}`, siteUrl)
  url.protocol = url.protocol.replace('http', 'ws')
  const socket = new WebSocket(url, { handshakeTimeout: 10_000, perMessageDeflate: false })
  const listener: Listener = { socket, heard: '' }
  socket.on('message', (data) => {
    listener.heard += String(data)
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', (cause) => reject(new Error(`No connection to ${url.href}: ${cause.message}`, { cause })))
  })
  socket.on('error', () => {})
  socket.send(JSON.stringify({ protocol: 'json', version: 1 }) + recordSeparator)
  return listener
}
