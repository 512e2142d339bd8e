/** The value below which `share` (0 to 1) of the values lie; nearest rank. NaN for an empty list. */
export const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

export const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
