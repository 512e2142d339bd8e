import type { Database } from '@capstan/db/client'
import { Counter, Gauge, type Registry } from 'prom-client'
import { createCaptureHealthRepository } from './health-repository.ts'

export type CaptureMetrics = Readonly<{
  storedFiles: Counter
  storedBytes: Counter
  failures: Counter
  gaps: Counter
}>

export function createCaptureMetrics(registry: Registry, db: Database): CaptureMetrics {
  const registers = [registry]
  const counter = (name: string, help: string) => new Counter({ name: `capstan_api_capture_${name}`, help, registers })
  new Gauge({
    name: 'capstan_api_capture_lost',
    help: 'Total losses of all captures of the platform: dropped packets, discarded files and bytes, time gaps',
    labelNames: ['what'],
    registers,
    async collect() {
      // Ignore the error, because an unavailable database must not hide the other metrics.
      const figures = await db
        .ping()
        .then(() => createCaptureHealthRepository(db).sumFigures())
        .catch(() => undefined)
      this.reset()
      if (!figures) return
      this.set({ what: 'packets' }, figures.droppedPackets)
      this.set({ what: 'files' }, figures.lostFiles)
      this.set({ what: 'bytes' }, figures.lostBytes)
      this.set({ what: 'gaps' }, figures.gaps)
    },
  })
  return {
    storedFiles: counter('stored_files_total', 'Files of captured traffic that this process stored'),
    storedBytes: counter('stored_bytes_total', 'Bytes of captured traffic that this process stored'),
    failures: counter('failures_total', 'Failed attempts of this process to fetch recordings; they are retried'),
    gaps: counter('gaps_total', 'Recorders or pods that disappeared before all their data was stored, as seen by this process'),
  }
}
