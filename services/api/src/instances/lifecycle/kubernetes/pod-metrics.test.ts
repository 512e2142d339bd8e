import { expect, test } from 'vitest'
import { readPodMetrics, readQuantity } from './pod-metrics.ts'

test.each([
  ['1', 1],
  ['0.5', 0.5],
  ['250m', 0.25],
  ['1234567n', 0.001234567],
  ['12Ki', 12_288],
  ['64Mi', 67_108_864],
  ['3M', 3_000_000],
  ['1e3', 1_000],
])('converts %s to %d', (text, number) => {
  expect(readQuantity(text)).toBeCloseTo(number, 12)
})

test.each(['', undefined, '-1', '1 Ki', '5X', 'much'])('returns NaN for %s', (text) => {
  expect(readQuantity(text)).toBeNaN()
})

interface Container {
  name: string
  usage: { cpu: string; memory: string }
}
function pod(name: string, ...containers: Container[]) {
  return { metadata: { name }, containers }
}

test('counts only the container of the challenge, and only in pods that belong to instances', () => {
  const recorder = { name: 'capture', usage: { cpu: '900m', memory: '30Mi' } }
  const challenge = { name: 'challenge', usage: { cpu: '35123456n', memory: '20480Ki' } }
  const items = [pod('ci-a', recorder, challenge), pod('ci-b', recorder), pod('ci-c'), pod('doctor', challenge)]
  const ids = new Map([
    ['ci-a', 'a'],
    ['ci-b', 'b'],
    ['ci-c', 'c'],
  ])
  const idOf = (name: string) => ids.get(name)
  expect(readPodMetrics(items, idOf)).toEqual(new Map([['a', { cpuMillicores: 35, memoryBytes: 20_971_520 }]]))
  expect(readPodMetrics([], idOf)).toEqual(new Map())
})
