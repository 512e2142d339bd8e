import { HeaderLimits } from '@capstan/contract/limits'

export type ContentEncoding = 'zstd' | 'br' | 'gzip' | 'identity'

/** Browsers send few different headers; whoever sends many does not fill the memory. */
const memoryMax = 500
const memory = new Map<string, ReadonlyMap<string, number>>()

function readWeights(header: string): ReadonlyMap<string, number> {
  const known = memory.get(header)
  if (known) return known
  const weights = new Map<string, number>()
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    weights.set(name, weight === undefined ? 1 : Number(weight) || 0)
  }
  if (memory.size >= memoryMax) memory.clear()
  memory.set(header, weights)
  return weights
}

/**
 * The best encoding that an Accept-Encoding header admits: the one with the greatest weight, of equal ones the first of
 * `offered`. RFC 9110, section 12.5.3.
 */
export function chooseEncoding<Offered extends ContentEncoding>(
  header: string | undefined,
  offered: readonly Offered[],
): Offered | 'identity' {
  if (!header || header.length > HeaderLimits.acceptEncodingMaxBytes) return 'identity'
  const weights = readWeights(header)
  let best: Offered | 'identity' = 'identity'
  let bestWeight = 0
  for (const encoding of offered) {
    // Whoever takes anything may be older than zstd.
    const weight = weights.get(encoding) ?? (encoding === 'zstd' ? 0 : (weights.get('*') ?? 0))
    if (weight <= bestWeight) continue
    best = encoding
    bestWeight = weight
  }
  return best
}
