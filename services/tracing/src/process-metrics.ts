import { collectDefaultMetrics, type Registry } from 'prom-client'

/**
 * How often the event loop is looked at, in ms. The library's own 10 ms wake an idle process a hundred times a second, which takes half a
 * percent of a processor. `nodejs_eventloop_lag_*` hold this pause too: the dashboard takes it off.
 */
const loopLookMs = 100

/** Processor, memory, garbage collection and event loop of this process, under the library's names. */
export const collectProcessMetrics = (register: Registry): void =>
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: loopLookMs })
