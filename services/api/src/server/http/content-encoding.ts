import { HeaderLimits } from '@capstan/contract/limits'

export type ContentEncoding = 'zstd' | 'br' | 'gzip' | 'identity'

/** Maximum number of cached headers. Browsers send few different headers, and other clients must not fill the memory. */
const maxCached = 500
const cache = new Map<string, ReadonlyMap<string, number>>()

function readWeights(header: string): ReadonlyMap<string, number> {
  const known = cache.get(header)
  if (known) return known
  const weights = new Map<string, number>()
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    weights.set(name, weight === undefined ? 1 : Number(weight) || 0)
  }
  if (cache.size >= maxCached) cache.clear()
  cache.set(header, weights)
  return weights
}

/**
 * Chooses the encoding with the greatest weight in an Accept-Encoding header. The order of `offered` decides between equal
 * weights. RFC 9110, section 12.5.3.
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
    // A client that accepts `*` may be too old for zstd.
    const weight = weights.get(encoding) ?? (encoding === 'zstd' ? 0 : (weights.get('*') ?? 0))
    if (weight <= bestWeight) continue
    best = encoding
    bestWeight = weight
  }
  return best
}
