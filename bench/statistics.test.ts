import { describe, expect, it } from 'vitest'
import { measureAlternately, median, quantileOf, summarizeByMedian } from './statistics.ts'

describe('the statistics of the bench', () => {
  it('the median of an odd number of values is the middle value', () => {
    expect(median([9, 1, 5])).toBe(5)
    expect(median([])).toBeNaN()
  })

  it('a quantile is the value with the nearest rank', () => {
    const values = Array.from({ length: 100 }, (_, index) => index + 1)
    expect(quantileOf(values, 0.5)).toBe(50)
    expect(quantileOf(values, 0.99)).toBe(99)
    expect(quantileOf([7], 0.99)).toBe(7)
  })

  it('the benchmark alternates between two measurements, and discards the first round', async () => {
    const order: string[] = []
    const measure = (name: string) => async () => order.push(name)
    expect(await measureAlternately(1, measure('ours'), measure('limit'))).toEqual({ ours: [3], limit: [4] })
    expect(order).toEqual(['ours', 'limit', 'ours', 'limit'])
  })

  it('the benchmark computes the ratio and the difference for each round before it computes medians', () => {
    // The second round is slow, as on a busy machine. Ratios: 2, 2, 3. Differences: 10, 100, 20.
    const comparison = { ours: [20, 200, 30], limit: [10, 100, 10] }
    expect(summarizeByMedian(comparison)).toEqual({ ours: 30, limit: 10, ratio: 2, added: 20 })
  })
})
