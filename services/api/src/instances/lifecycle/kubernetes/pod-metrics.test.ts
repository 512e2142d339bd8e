import { expect, test } from 'vitest'
import { parseKubernetesQuantity, usageOfContainers } from './pod-metrics.ts'

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
  expect(parseKubernetesQuantity(text)).toBeCloseTo(number, 12)
})

test.each(['', undefined, '-1', '1 Ki', '5X', 'much'])('returns NaN for %s', (text) => {
  expect(parseKubernetesQuantity(text)).toBeNaN()
})

interface Container {
  name: string
  usage: { cpu: string; memory: string }
}
function pod(name: string, ...containers: Container[]) {
  return { metadata: { name }, containers }
}

test('the usage includes each container of a challenge, but no recorder and no other pod', () => {
  const recorder = { name: 'capture', usage: { cpu: '900m', memory: '30Mi' } }
  const challenge = { name: 'challenge', usage: { cpu: '35123456n', memory: '20480Ki' } }
  const database = { name: 'challenge', usage: { cpu: '200m', memory: '1Mi' } }
  const items = [
    pod('ci-a', recorder, challenge),
    pod('ci-a-db', database),
    pod('ci-b', recorder),
    pod('ci-c'),
    pod('doctor', challenge),
  ]
  const owners = new Map([
    ['ci-a', { id: 'a', container: 'page' }],
    ['ci-a-db', { id: 'a', container: 'db' }],
    ['ci-b', { id: 'b', container: 'challenge' }],
    ['ci-c', { id: 'c', container: 'challenge' }],
  ])
  const ownerOf = (name: string) => owners.get(name)
  const ofA = new Map([
    ['page', { cpuMillicores: 35, memoryBytes: 20_971_520 }],
    ['db', { cpuMillicores: 200, memoryBytes: 1_048_576 }],
  ])
  expect(usageOfContainers(items, ownerOf)).toEqual(new Map([['a', ofA]]))
  expect(usageOfContainers([], ownerOf)).toEqual(new Map())
})
