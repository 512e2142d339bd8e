import type { ProxyConnectionReport } from '@capstan/contract/gateway-backend'
import type { Backend } from '../backend.ts'
import type { GatewayLogger } from '../log.ts'

const maxWaiting = 20_000
const maxBatch = 500

export type ConnectionReportsOptions = Readonly<{
  backend: Pick<Backend, 'reportConnections'>
  /** Time over which rows are collected before they are sent, in ms. */
  gatherMs: number
  log: GatewayLogger
  /** Called with the number of rows that were dropped. */
  onLost: (count: number) => void
}>

/**
 * Sends rows of proxied connections to the api in batches, with only the newest state of each row. Rows wait while the api is
 * unavailable. Each row has an id, so a batch can be sent again without harm if its response was lost.
 */
export class ConnectionReports {
  readonly #options: ConnectionReportsOptions
  readonly #waiting = new Map<string, ProxyConnectionReport>()
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<boolean> | undefined
  #hasWarned = false

  constructor(options: ConnectionReportsOptions) {
    this.#options = options
  }

  add(report: ProxyConnectionReport): void {
    this.#waiting.set(report.id, report)
    this.#dropOldest()
    this.#timer ??= setTimeout(() => void this.#sendLater(), this.#options.gatherMs).unref()
  }

  /** Sends the pending rows without retries. Rows that the api does not store are lost, because the process ends. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#sending
    while (this.#waiting.size > 0 && (await this.#sendBatch())) {
      // The loop needs no body, because its condition sends the batch.
    }
    clearTimeout(this.#timer)
  }

  async #sendLater(): Promise<void> {
    this.#timer = undefined
    if (this.#sending === undefined) {
      this.#sending = this.#sendBatch()
      await this.#sending
      this.#sending = undefined
    }
    if (this.#waiting.size > 0) this.#timer ??= setTimeout(() => void this.#sendLater(), this.#options.gatherMs).unref()
  }

  async #sendBatch(): Promise<boolean> {
    const batch = [...this.#waiting.values()].slice(0, maxBatch)
    for (const { id } of batch) this.#waiting.delete(id)
    try {
      await this.#options.backend.reportConnections(batch)
      this.#hasWarned = false
      return true
    } catch (error) {
      if (!this.#hasWarned) this.#options.log.warn({ err: error }, 'Could not report proxied connections, retrying')
      this.#hasWarned = true
      // If a newer report of the connection already waits, drop the older report.
      for (const report of batch) if (!this.#waiting.has(report.id)) this.#waiting.set(report.id, report)
      this.#dropOldest()
      return false
    }
  }

  #dropOldest(): void {
    for (const id of this.#waiting.keys()) {
      if (this.#waiting.size <= maxWaiting) return
      this.#waiting.delete(id)
      this.#options.onLost(1)
    }
  }
}
