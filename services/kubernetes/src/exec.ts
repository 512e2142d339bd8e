import type { WebSocket } from 'ws'
import type { ApiAccess } from './access.ts'
import { pods } from './built-in-kinds.ts'
import { closeSocketAfterSending, type Frame, openSocket } from './sockets.ts'
import { resourcePath } from './types.ts'

/** Supported versions of the protocol. In all of them, the first byte of a message is the channel. */
const protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io']

const channels = { input: 0, output: 1, errors: 2, status: 3, size: 4 } as const

/** Ctrl-D, which ends the input of a terminal. */
export const endOfInput = Buffer.of(4)

export interface ExecTarget {
  namespace: string
  pod: string
  container: string
  command: readonly string[]
}

/** Maximum time until a command writes output, in ms. A command that is silent for longer counts as started. */
const silentMs = 2_000

/** Terminal of a running command. */
export interface Exec {
  socket: WebSocket
  /** Passes all messages to `take`, including messages that arrived before this call. */
  follow(take: (data: Buffer, isBinary: boolean) => void): void
}

/**
 * Runs a command with a terminal in a container.
 * @throws ApiError if the API server refuses, or another error if the command ends without output. For example, the
 * image may not contain the command
 */
export async function openCommandTerminal(access: ApiAccess, { namespace, pod, container, command }: ExecTarget): Promise<Exec> {
  const query = new URLSearchParams({ container, stdin: 'true', stdout: 'true', tty: 'true' })
  for (const part of command) query.append('command', part)
  const basePath = access.server.pathname.replace(/\/$/, '')
  const address = new URL(`${basePath}${resourcePath(pods, namespace, pod, 'exec')}?${query}`, access.server)
  return awaitOutput(await openSocket(address, protocols, await access.requestOptions()))
}

/** Waits until the command writes output. The API server accepts the connection before it starts the command. */
async function awaitOutput(socket: WebSocket): Promise<Exec> {
  const early: Frame[] = []
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const collect = (data: Buffer, isBinary: boolean): void => {
    early.push({ data, isBinary })
    if (data[0] === channels.status) reject(new Error('The command ended without output'))
    // The first message of an API server may be empty.
    else if (data.length > 1) resolve()
  }
  const fail = () => reject(new Error('The connection to the command ended'))
  const timer = setTimeout(resolve, silentMs)
  socket.on('message', collect).once('close', fail)
  socket.resume()
  try {
    await promise
  } catch (error) {
    closeSocketAfterSending(socket, 1000)
    throw error
  } finally {
    clearTimeout(timer)
    socket.off('close', fail)
  }
  socket.pause()
  return {
    socket,
    follow(take) {
      socket.off('message', collect)
      for (const { data, isBinary } of early) take(data, isBinary)
      socket.on('message', take)
      socket.resume()
    },
  }
}

export function encodeTerminalInput(data: Buffer): Frame {
  return onChannel(channels.input, data)
}

export function encodeTerminalSize({ columns, rows }: Readonly<{ columns: number; rows: number }>): Frame {
  return onChannel(channels.size, Buffer.from(JSON.stringify({ Width: columns, Height: rows })))
}

/** @returns undefined for a message without output */
export function decodeTerminalOutput({ data }: Frame): Buffer | undefined {
  const [channel] = data
  return channel === channels.output || channel === channels.errors ? data.subarray(1) : undefined
}

function onChannel(channel: number, data: Buffer): Frame {
  return { data: Buffer.concat([Buffer.of(channel), data]), isBinary: true }
}
