import { Counter, collectDefaultMetrics, type Registry } from 'prom-client'

/**
 * How often the event loop is looked at, in ms. The library's own 10 ms wake an idle process a hundred times a second, which takes half a
 * percent of a processor. `nodejs_eventloop_lag_*` hold this pause too: the dashboard takes it off.
 */
const loopLookMs = 100

/** Processor, memory, garbage collection and event loop of this process, under the library's names. */
export const collectProcessMetrics = (register: Registry): void =>
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: loopLookMs })

/** Returns a function that counts a connection to another process that a second address has accepted. */
export const countHopRetries = (register: Registry): (() => void) => {
  const counter = new Counter({
    name: 'capstan_hop_retries_total',
    help: 'Connections to another process that one of its replicas has accepted after another one did not',
    registers: [register],
  })
  return () => counter.inc()
}
