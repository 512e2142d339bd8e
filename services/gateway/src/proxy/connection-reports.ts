import type { ProxyConnectionReport } from '@capstan/contract/gateway-backend'
import type { Backend } from '../backend.ts'
import type { GatewayLogger } from '../log.ts'

const maxWaiting = 20_000
const maxBatch = 500

export type ConnectionReportsOptions = Readonly<{
  backend: Pick<Backend, 'reportConnections'>
  /** Time that rows are collected before they are sent. */
  gatherMs: number
  log: GatewayLogger
  /**
   * Sends rows of proxied connections to the api in batches, only the newest state of each row. Rows wait while the api is
   * unavailable. Reports are idempotent by id, so a batch without an answer is sent again.
   */
  onLost: (count: number) => void
}>

/**
 * Sends rows of proxied connections to the api: the newest state of each, in batches, retained while the api is away. Reports are
 * idempotent by id, so a batch whose answer was lost is sent again.
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

  /** Sends the pending rows once. Rows that the api does not store are lost when the process ends. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#sending
    while (this.#waiting.size > 0 && (await this.#sendBatch())) {
      // Continue with the next batch.
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
      // A newer state of the same connection wins.
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
