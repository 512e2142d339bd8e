import { type BodyBounds, jsonDepthMax } from '@capstan/contract/limits'
import type { ProblemCode } from '@capstan/contract/problems'

const quote = 0x22
const comma = 0x2c
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** Place of the quotation mark that ends the string opened at `start`; the end of the text if there is none. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at
}

/**
 * Judges the size of a JSON text before anything is built of it: a few kilobytes of brackets or commas are many times as
 * much as objects, and every later step would walk through them. Reads each byte once; whether the text is JSON at all is
 * the parser's question.
 * @returns `request.invalid` for a text that is nested too deeply, `request.too-large` for one with too many values
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
      if (depth > jsonDepthMax) return 'request.invalid'
    } else if (byte === closeBracket || byte === closeBrace) depth -= 1
    if (values > maxValues) return 'request.too-large'
  }
  return undefined
}
