import type { Readable } from 'node:stream'
import { type BodyBounds, maxJsonDepth } from '@capstan/contract/limits'
import { Problem, type ProblemCode } from '@capstan/contract/problems'
import { BodyCollector } from './body-collector.ts'

/**
 * Reads a body to its end. Leaves the rest of a longer body unread.
 * @throws Problem `request.too-large` if the body is longer than `maxBytes`, `request.invalid` if the client disconnects
 */
export async function readBody(payload: Readable, maxBytes: number): Promise<Buffer> {
  const body = new BodyCollector()
  const pieces = payload.iterator({ destroyOnReturn: false })
  try {
    for await (const piece of pieces) {
      body.add(piece)
      if (body.length > maxBytes) throw new Problem('request.too-large')
    }
  } catch (error) {
    throw error instanceof Problem ? error : new Problem('request.invalid')
  }
  return body.bytes()
}

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
export function refuseCostlyJson(
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
