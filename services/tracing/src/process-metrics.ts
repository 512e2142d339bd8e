import { Counter, collectDefaultMetrics, type Registry } from 'prom-client'

/**
 * Sampling interval of the event loop, in ms. The library's default of 10 ms costs an idle process half a percent of a processor.
 * The metrics `nodejs_eventloop_lag_*` include this interval, so the dashboard subtracts it.
 */
const loopSampleMs = 100

/** Collects processor, memory, garbage collection and event loop metrics of this process, with the library's names. */
export function collectProcessMetrics(register: Registry): void {
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: loopSampleMs })
}

export function createHopRetryCounter(register: Registry): () => void {
  const counter = new Counter({
    name: 'capstan_hop_retries_total',
    help: 'Connections to another process that succeeded at a second replica after the first failed',
    registers: [register],
  })
  return () => counter.inc()
}
