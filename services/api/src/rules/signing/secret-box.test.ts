import { describe, expect, test } from 'vitest'
import { cryptoRandom } from './random.ts'
import { sealText, unsealText } from './secret-box.ts'

const secret = 'a server secret'
const plain = Buffer.from('the private key of game 7', 'utf8')
const sealed = sealText(plain, 'game 7', secret, cryptoRandom)

/** Flips one bit in one part of a sealed value. @param part index of the part */
function damage(text: string, part: number): string {
  const parts = text.split('.')
  const bytes = Buffer.from(parts[part]!, 'base64url')
  bytes[0]! ^= 1
  parts[part] = bytes.toString('base64url')
  return parts.join('.')
}

describe('a sealed value', () => {
  test('a sealed value is decrypted to the original value', () => {
    expect(unsealText(sealed, 'game 7', secret)).toEqual(plain)
  })

  test('a sealed value may contain an empty text', () => {
    expect(unsealText(sealText(Buffer.alloc(0), 'x', secret, cryptoRandom), 'x', secret)).toHaveLength(0)
  })

  test('a sealed value does not reveal the plain text', () => {
    expect(sealed).not.toContain(plain.toString('base64url'))
    expect(sealed).toMatch(/^v1\.[\w-]{16}\.[\w-]+$/)
  })

  test('a value has a different sealed form each time', () => {
    expect(sealText(plain, 'game 7', secret, cryptoRandom)).not.toBe(sealed)
  })

  test.each([
    ['under another server secret', sealed, 'game 7', 'another secret'],
    ['for another owner', sealed, 'game 8', secret],
    ['with a changed nonce', damage(sealed, 1), 'game 7', secret],
    ['with a changed content', damage(sealed, 2), 'game 7', secret],
    ['that is truncated', 'v1.AAAAAAAAAAAAAAAA.AAAA', 'game 7', secret],
    ['with a short nonce', sealed.replace(/\.[\w-]+\./, '.AAAA.'), 'game 7', secret],
    ['of an unknown version', sealed.replace('v1', 'v2'), 'game 7', secret],
    ['with an additional part', `${sealed}.AAAA`, 'game 7', secret],
    ['that is plain text', 'hello', 'game 7', secret],
  ])('does not open %s', (_, text, context, key) => {
    expect(() => unsealText(text, context, key)).toThrow('Could not open a sealed value')
  })
})

test('refuses an empty server secret', () => {
  expect(() => sealText(plain, 'game 7', '', cryptoRandom)).toThrow('The server secret is empty')
})
