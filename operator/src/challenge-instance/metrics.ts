import type { ChallengeInstance } from '@capstan/challenge-instance/challenge-instance'
import { conditionTypes } from '@capstan/challenge-instance/conditions'
import { findCondition } from '@capstan/kubernetes/conditions'
import { Gauge, Histogram, type Registry } from 'prom-client'

export interface InstanceMetrics {
  /**
   * Creates the metric of start times. The start time of an instance, in seconds, begins when this process first
   * observes the instance, and ends when the instance is ready.
   */
  observeStart(seconds: number): void
}

export function createInstanceMetrics(registry: Registry, list: () => Iterable<ChallengeInstance>): InstanceMetrics {
  new Gauge({
    name: 'capstan_operator_instances',
    help: 'Challenge instances by readiness and reason.',
    labelNames: ['ready', 'reason'] as const,
    registers: [registry],
    collect() {
      this.reset()
      for (const instance of list()) {
        const ready = findCondition(instance.status?.conditions, conditionTypes.ready)
        this.inc({ ready: ready?.status ?? 'Unknown', reason: ready?.reason ?? 'New' })
      }
    },
  })
  const starts = new Histogram({
    name: 'capstan_operator_instance_start_seconds',
    help: 'Time from the first event of an instance until it is ready.',
    buckets: [0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 20, 30, 60, 120],
    registers: [registry],
  })
  return { observeStart: (seconds) => starts.observe(seconds) }
}
