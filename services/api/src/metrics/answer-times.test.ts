import { Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { createAnswerTimes } from './answer-times.ts'

test('shows what the histogram of the library shows', async () => {
  const [ours, library] = [new Registry(), new Registry()]
  const observe = createAnswerTimes(ours)
  const histogram = new Histogram({
    name: 'capstan_api_http_request_duration_seconds',
    help: 'Time from the request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [library],
  })
  const answers: [string, string, number, number][] = [
    ['GET', '/api/game/:id', 200, 0.25],
    ['GET', '/api/game/:id', 200, 2],
    ['GET', '/api/game/:id', 200, 2.25],
    ['GET', '/api/game/:id', 404, 64],
    ['PUT', '/api/game/:id', 200, 30_000],
    ['GET', 'none', 404, 31_000],
    ['GET', '/api/"quoted"\\', 200, 0],
  ]
  for (const [method, route, status, elapsedMs] of answers) {
    observe(method, route, status, elapsedMs)
    histogram.observe({ method, route, status }, elapsedMs / 1_000)
  }
  const linesOf = async (registry: Registry) => (await registry.metrics()).split('\n').sort()
  expect(await linesOf(ours)).toEqual(await linesOf(library))
  expect(await ours.getMetricsAsJSON()).toHaveLength(1)
})
