import type { RequestObserver } from '@capstan/kubernetes/client'
import { collectProcessMetrics } from '@capstan/tracing/process-metrics'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

export interface ControllerMetrics {
  registry: Registry
  observeRequest: RequestObserver
  reconcileSeconds: Histogram
  reconcileErrors: Counter
  /** Sets the function from which the metrics read the length of the queue. */
  watchQueue(depth: () => number): void
  watchLeader(isLeader: () => boolean): void
}

export function createControllerMetrics(): ControllerMetrics {
  const registry = new Registry()
  collectProcessMetrics(registry)
  const requests = new Counter({
    name: 'capstan_operator_api_requests_total',
    help: 'Requests to the API server, by verb, resource and status (0: no answer).',
    labelNames: ['verb', 'resource', 'status'] as const,
    registers: [registry],
  })
  return {
    registry,
    observeRequest: ({ verb, plural, status }) => requests.inc({ verb, resource: plural, status }),
    reconcileSeconds: new Histogram({
      name: 'capstan_operator_reconcile_duration_seconds',
      help: 'Duration of one reconciliation of an instance.',
      buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 15],
      registers: [registry],
    }),
    reconcileErrors: new Counter({
      name: 'capstan_operator_reconcile_errors_total',
      help: 'Failed reconciliations that were retried.',
      registers: [registry],
    }),
    watchQueue(depth) {
      new Gauge({
        name: 'capstan_operator_queue_depth',
        help: 'Instances that wait for a worker.',
        registers: [registry],
        collect() {
          this.set(depth())
        },
      })
    },
    watchLeader(isLeader) {
      new Gauge({
        name: 'capstan_operator_is_leader',
        help: '1 if this process is the leader, else 0.',
        registers: [registry],
        collect() {
          this.set(isLeader() ? 1 : 0)
        },
      })
    },
  }
}
