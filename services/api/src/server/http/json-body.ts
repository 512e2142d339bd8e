import { type BodyBounds, maxJsonDepth } from '@capstan/contract/limits'
import type { ProblemCode } from '@capstan/contract/problems'

const quote = 0x22
const comma = 0x2c
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** Returns the index of the quote that ends the string at `start`, or the end of the text. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at
}

/**
 * Checks the size of a JSON text before it is parsed. A few kilobytes of brackets or commas need many times their size in memory
 * and slow down every later step. The parser reports syntax errors.
 * @returns `request.invalid` if the text is nested too deeply, `request.too-large` if it has too many values
 */
export function refuseJsonSize(
  bytes: Uint8Array,
  { maxValues }: BodyBounds,
): Extract<ProblemCode, 'request.invalid' | 'request.too-large'> | undefined {
  let depth = 0
  let values = 1
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) at = endOfString(bytes, at)
    else if (byte === comma) values += 1
    else if (byte === openBracket || byte === openBrace) {
      values += 1
      depth += 1
      if (depth > maxJsonDepth) return 'request.invalid'
    } else if (byte === closeBracket || byte === closeBrace) depth -= 1
    if (values > maxValues) return 'request.too-large'
  }
  return undefined
}
