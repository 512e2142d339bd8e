import type { WebSocket } from 'ws'
import type { ApiAccess } from './access.ts'
import { pods } from './built-in-kinds.ts'
import { type Frame, openSocket } from './sockets.ts'
import { resourcePath } from './types.ts'

/** Supported versions of the protocol. In all of them, the first byte of a message is the channel. */
const protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io']

const channels = { input: 0, output: 1, errors: 2, size: 4 } as const

/** Ctrl-D, which ends the input of a terminal. */
export const endOfInput = Buffer.of(4)

export interface ExecTarget {
  namespace: string
  pod: string
  container: string
  command: readonly string[]
}

/**
 * Runs a command with a terminal in a container.
 * @throws ApiError if the API server refuses
 */
export async function openExec(access: ApiAccess, { namespace, pod, container, command }: ExecTarget): Promise<WebSocket> {
  const query = new URLSearchParams({ container, stdin: 'true', stdout: 'true', tty: 'true' })
  for (const part of command) query.append('command', part)
  const basePath = access.server.pathname.replace(/\/$/, '')
  const address = new URL(`${basePath}${resourcePath(pods, namespace, pod, 'exec')}?${query}`, access.server)
  return openSocket(address, protocols, await access.requestOptions())
}

/** Returns the message with input for the command. */
export function encodeInput(data: Buffer): Frame {
  return onChannel(channels.input, data)
}

export function terminalSizeFrame({ columns, rows }: { readonly columns: number; readonly rows: number }): Frame {
  return onChannel(channels.size, Buffer.from(JSON.stringify({ Width: columns, Height: rows })))
}

/** @returns undefined for a message without output */
export function readOutput({ data }: Frame): Buffer | undefined {
  const [channel] = data
  return channel === channels.output || channel === channels.errors ? data.subarray(1) : undefined
}

function onChannel(channel: number, data: Buffer): Frame {
  return { data: Buffer.concat([Buffer.of(channel), data]), isBinary: true }
}
