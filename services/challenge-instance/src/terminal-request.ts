import { Limits, WebSocketLimits } from '@capstan/contract/limits'
import { type ContainerAddress, parseContainerRequestPath, pathOfContainerRequest } from './container-address.ts'

// Terminal in a container, over a WebSocket. Binary messages contain keyboard input and output. Text messages to the container
// contain the size of the terminal. See ADR 76.

export const terminalLimits = {
  messageBytes: Limits.maxTerminalMessageBytes,
  parts: WebSocketLimits,
  openMinutes: Limits.openTerminalMinutes,
}

export interface TerminalSize {
  columns: number
  rows: number
}

/** Returns the path at which the operator opens a terminal in a container. */
export function pathOfTerminalRequest(address: ContainerAddress): string {
  return pathOfContainerRequest(address, 'terminal')
}

/**
 * Parses the address of a request for a terminal.
 * @returns undefined if the address is not the address of such a request
 */
export function parseTerminalRequest(address: string): ContainerAddress | undefined {
  return parseContainerRequestPath(new URL(address, 'http://operator').pathname, 'terminal')
}

/** Parses a text message with the size of a terminal. @returns undefined if the text is not a size */
export function parseTerminalSize(text: string): TerminalSize | undefined {
  const [, columns, rows] = /^\{"columns":(\d{1,3}),"rows":(\d{1,3})\}$/.exec(text) ?? []
  const size = { columns: Number(columns), rows: Number(rows) }
  return size.columns > 0 && size.rows > 0 ? size : undefined
}
