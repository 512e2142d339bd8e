import { describe, expect, it } from 'vitest'
import { mean, median, quantile } from './statistics.ts'

describe('statistics', () => {
  it('the median of an odd number of values is the middle one', () => {
    expect(median([9, 1, 5])).toBe(5)
  })

  it('a quantile is a value that was measured: the nearest rank', () => {
    const values = Array.from({ length: 100 }, (_, index) => index + 1)
    expect(quantile(values, 0.5)).toBe(50)
    expect(quantile(values, 0.99)).toBe(99)
    expect(quantile([7], 0.99)).toBe(7)
  })

  it('the mean weighs every value alike', () => {
    expect(mean([1, 2, 6])).toBe(3)
  })

  it('nothing measured gives no number', () => {
    expect(median([])).toBeNaN()
  })
})
