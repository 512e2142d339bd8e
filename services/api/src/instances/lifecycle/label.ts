import { randomBytes } from 'node:crypto'
import { labelAlphabet, labelLength } from '@capstan/contract/reach'

/** A name that nobody can guess, made of nothing but chance. */
export function createLabel(): string {
  return Array.from(randomBytes(labelLength), (byte) => labelAlphabet[byte % labelAlphabet.length]).join('')
}
