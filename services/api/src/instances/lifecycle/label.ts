import { randomBytes } from 'node:crypto'
import { labelAlphabet, labelLength } from '@capstan/contract/reach'

/** Creates a random name that cannot be guessed. */
export function createLabel(): string {
  return Array.from(randomBytes(labelLength), (byte) => labelAlphabet[byte % labelAlphabet.length]).join('')
}
