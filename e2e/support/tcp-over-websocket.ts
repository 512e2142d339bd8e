import { connect as connectTcp } from 'node:net'
import type { Duplex } from 'node:stream'
import { createWebSocketStream, WebSocket } from 'ws'

export type InstanceAddress = Readonly<{
  /** Field `entry` of a ContainerInfo: `host:port`, or the UUID of an instance behind the proxy. */
  entry: string
  /** Origin of the site, which also serves the proxy. */
  baseUrl: string
  /** True for an organizer's test container, for which the proxy uses another address. */
  isTest?: boolean
}>

/** True if an entry is a UUID for the proxy: 36 characters without a colon. */
export function isProxiedEntry(entry: string): boolean {
  return entry.length === 36 && !entry.includes(':')
}

/** Returns `ws(s)://{site}/api/proxy/{uuid}`, the address of a proxied instance for players. */
export function proxyAddress({ entry, baseUrl, isTest = false }: InstanceAddress): string {
  const url = new URL(`/api/proxy/${isTest ? 'noinst/' : ''}${entry}`, baseUrl)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  return url.href
}

/** Opens a direct or proxied connection to an instance. Each connection is a single stream of bytes. */
export function connectToInstance(address: InstanceAddress): Promise<Duplex> {
  return isProxiedEntry(address.entry) ? overWebSocket(proxyAddress(address)) : straight(address.entry)
}

function straight(entry: string): Promise<Duplex> {
  const colon = entry.lastIndexOf(':')
  const host = entry.slice(0, colon).replace(/^\[|\]$/g, '')
  return new Promise((resolve, reject) => {
    const socket = connectTcp({ host, port: Number(entry.slice(colon + 1)) })
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
  })
}

function overWebSocket(address: string): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(address, { perMessageDeflate: false })
    // Create the stream immediately, so that it receives bytes that arrive with the upgrade response.
    const stream = createWebSocketStream(socket)
    // End the stream when the other side ends the connection. By default, the stream would wait until this side also ends it.
    stream.once('end', () => stream.destroy())
    const refuse = (cause: Error) => reject(new Error(`Could not connect to ${address}: ${cause.message}`, { cause }))
    stream.once('error', refuse)
    socket.once('open', () => {
      stream.off('error', refuse)
      resolve(stream)
    })
  })
}
