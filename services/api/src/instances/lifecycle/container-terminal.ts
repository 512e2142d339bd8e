import { parseTerminalSize } from '@capstan/challenge-instance/terminal-request'
import { Limits } from '@capstan/contract/limits'
import type { TerminalEnd } from '@capstan/contract/vocabulary'
import { type FailureLog, Guard } from '@capstan/http/guard'
import { closeSocketAfterSending, createFrameSender } from '@capstan/kubernetes/sockets'
import type { WebSocket } from 'ws'
import type { Clock } from '../../server/http/clock.ts'
import { createAdminSeats } from './admin-seats.ts'

/** Time between two checks whether a terminal may remain open, in ms. The input limit applies to each such interval. */
const defaultCheckMs = 10_000

const retrySeconds = 60

/** Close code of the WebSocket if the platform ends a terminal. The close reason is a `TerminalEnd`. */
const endCode = 4000

/**
 * Number of bytes that each message counts toward the input limit, in addition to the size of its content. Small
 * messages cost time, too.
 */
const messageCostBytes = 64

type TerminalOptions = Readonly<{
  /** True if the admin may still use the terminal. */
  isAllowed: () => Promise<boolean>
  onEnd: (end: TerminalEnd) => void
}>

type TerminalRelayDeps = Readonly<{ clock: Clock; log: FailureLog; checkMs?: number }>

/** Relays terminals between browsers and containers. The content is neither stored nor logged. ADR 76. */
export function createTerminalRelay({ clock, log, checkMs = defaultCheckMs }: TerminalRelayDeps) {
  const ends = new Set<(end: TerminalEnd) => void>()
  const seats = createAdminSeats({
    max: Limits.maxOpenTerminals,
    maxPerAdmin: Limits.maxOpenTerminalsPerAdmin,
    retrySeconds,
  })
  let isStopping = false

  return {
    /**
     * Reserves one terminal. The number of open terminals is limited.
     * @returns a function that releases the terminal. The caller must call it once
     * @throws Problem `request.rate-limited`
     */
    takeSeat: seats.take,

    /**
     * Connects browser and container until one of them disconnects, the admin may no longer use the terminal, or a limit is
     * reached.
     */
    join(browser: WebSocket, container: WebSocket, { isAllowed, onEnd }: TerminalOptions): void {
      const guard = new Guard(log, { destroy: () => browser.terminate() }, { destroy: () => container.terminate() })
      for (const socket of [browser, container]) guard.on(socket, 'error', () => {})
      const startedMs = clock.now().getTime()
      let inputMs = startedMs
      let inputBytes = 0
      let isAnswering = true
      let isOver = false

      const end = (reason: TerminalEnd): void => {
        if (isOver) return
        isOver = true
        clearInterval(timer)
        ends.delete(end)
        closeSocketAfterSending(browser, endCode, reason)
        container.terminate()
        onEnd(reason)
      }
      const count = (bytes: number): void => {
        inputBytes += bytes + messageCostBytes
        if (inputBytes > Limits.maxTerminalInputBytes) end('input')
      }
      const check = async (): Promise<void> => {
        const nowMs = clock.now().getTime()
        inputBytes = 0
        // A paused socket cannot read a pong. A missing pong therefore counts only if the socket is not paused.
        if (!isAnswering && !browser.isPaused) return browser.terminate()
        if (nowMs - startedMs >= Limits.openTerminalMinutes * 60_000) return end('time')
        if (nowMs - inputMs >= Limits.idleTerminalMinutes * 60_000) return end('idle')
        isAnswering = false
        // A ping tests the connection, and prevents a proxy from closing an idle connection.
        browser.ping()
        if (!(await isAllowed())) end('session')
      }
      const timer = setInterval(() => guard.run(check), checkMs)
      ends.add(end)

      const toContainer = createFrameSender(browser, container, (frame) => {
        if (isOver) return undefined
        if (!frame.isBinary) return parseTerminalSize(frame.data.toString()) && frame
        inputMs = clock.now().getTime()
        return frame
      })
      guard.on(browser, 'message', (data: Buffer, isBinary: boolean) => {
        count(data.length)
        toContainer(data, isBinary)
      })
      guard.on(
        container,
        'message',
        createFrameSender(container, browser, (frame) => (frame.isBinary ? frame : undefined)),
      )
      guard.on(browser, 'ping', () => count(0))
      guard.on(browser, 'pong', () => {
        isAnswering = true
      })
      guard.once(browser, 'close', () => end('left'))
      guard.once(container, 'close', () => end('ended'))
      container.resume()
      if (isStopping) end('stopping')
      else if (container.readyState !== container.OPEN) end('ended')
    },

    /** Ends all terminals. Call this when the process stops. */
    close(): void {
      isStopping = true
      for (const end of [...ends]) end('stopping')
    },
  }
}
