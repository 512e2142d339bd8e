import type { Histogram, Registry } from 'prom-client'

const name = 'capstan_api_http_request_duration_seconds'
const bucketsSeconds = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Answers of one method, route and status. */
interface Series {
  readonly labels: { readonly method: string; readonly route: string; readonly status: number }
  /** By bucket, each without those of the buckets before; the last: longer than all. */
  readonly counts: number[]
  sumSeconds: number
}

const createSeries = (method: string, route: string, status: number): Series => ({
  labels: { method, route, status },
  counts: Array.from({ length: bucketsSeconds.length + 1 }, () => 0),
  sumSeconds: 0,
})

/** As Prometheus wants them: a bucket holds what the buckets before it hold as well. */
const valuesOf = ({ labels, counts, sumSeconds }: Series) => {
  let count = 0
  const buckets = counts.map((inBucket, bucket) => {
    count += inBucket
    return { metricName: `${name}_bucket`, labels: { le: bucketsSeconds[bucket] ?? '+Inf', ...labels }, value: count }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sumSeconds },
    { metricName: `${name}_count`, labels, value: count },
  ]
}

/** Counts an answer. @param route its pattern: labels have few values */
export type ObserveAnswer = (method: string, route: string, status: number, elapsedMs: number) => void

/**
 * A histogram of the times of answers. That of the library joins and checks labels and turns numbers into names for each; this one adds
 * two numbers (ADR 36).
 */
export const createAnswerTimes = (registry: Registry): ObserveAnswer => {
  const seriesOfRoutes = new Map<string, Series[]>()
  const seriesOf = (method: string, route: string, status: number): Series => {
    const known = seriesOfRoutes.get(route) ?? []
    const found = known.find(({ labels }) => labels.status === status && labels.method === method)
    if (found) return found
    const made = createSeries(method, route, status)
    seriesOfRoutes.set(route, [...known, made])
    return made
  }
  const metric = {
    name,
    help: 'Time from the request to the end of its answer',
    type: 'histogram',
    aggregator: 'sum',
    get: async () => ({ ...metric, values: [...seriesOfRoutes.values()].flat().flatMap(valuesOf) }),
  }
  // The registry asks a metric for its name and its values, whatever its class.
  registry.registerMetric(metric as unknown as Histogram)
  return (method, route, status, elapsedMs) => {
    const seconds = elapsedMs / 1_000
    const series = seriesOf(method, route, status)
    const bucket = bucketsSeconds.findIndex((most) => seconds <= most)
    const place = bucket === -1 ? bucketsSeconds.length : bucket
    series.counts[place] = (series.counts[place] ?? 0) + 1
    series.sumSeconds += seconds
  }
}
