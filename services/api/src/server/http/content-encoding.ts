import { cacheByHeader } from '@capstan/contract/header-cache'
import { HeaderLimits } from '@capstan/contract/limits'

/** Encodings of compressed responses, in order of preference: the encoding that saves the most bytes per CPU time is first. */
const encodings = ['zstd', 'br', 'gzip'] as const

export type Compression = (typeof encodings)[number]
export type ContentEncoding = Compression | 'identity'

function readWeights(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    weights.set(name, weight === undefined ? 1 : Number(weight) || 0)
  }
  return weights
}

/**
 * Chooses the encoding with the greatest weight in an Accept-Encoding header. For equal weights, the order of `encodings`
 * decides. RFC 9110, section 12.5.3.
 */
export function chooseEncoding(header: string | undefined): ContentEncoding {
  if (!header || header.length > HeaderLimits.maxAcceptEncodingBytes) return 'identity'
  return choose(header)
}

const choose = cacheByHeader((header): ContentEncoding => {
  const weights = readWeights(header)
  let best: ContentEncoding = 'identity'
  let bestWeight = 0
  for (const encoding of encodings) {
    // Do not choose zstd for `*`, because a client that sends `*` may be too old for zstd.
    const weight = weights.get(encoding) ?? (encoding === 'zstd' ? 0 : (weights.get('*') ?? 0))
    if (weight <= bestWeight) continue
    best = encoding
    bestWeight = weight
  }
  return best
})
