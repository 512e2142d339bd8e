import { createPublicKey, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import { deriveApiTokenKey, signApiToken, verifyApiToken } from './api-token.ts'

const key = deriveApiTokenKey('secret')
const payload = { jti: '0b1f8a52-7d3f-4a2b-9c1d-2e3f4a5b6c7d', iat: 1_790_000_000, exp: 1_790_086_400 }
const token = signApiToken(payload, key)
const [text = '', signature = ''] = token.split('.')

test('signs the encoded payload with Ed25519', () => {
  expect(JSON.parse(Buffer.from(text, 'base64url').toString())).toEqual(payload)
  expect(verify(null, Buffer.from(text), createPublicKey(key.privateKey), Buffer.from(signature, 'base64url'))).toBe(true)
  expect(verifyApiToken(token, key)).toBe(payload.jti)
})

test('a token is readable only for processes that have the secret', () => {
  expect(verifyApiToken(token, deriveApiTokenKey('secret'))).toBe(payload.jti)
  expect(verifyApiToken(token, deriveApiTokenKey('another'))).toBeUndefined()
  expect(() => deriveApiTokenKey('')).toThrow('empty')
})

test('refuses a token with any changed character', () => {
  for (let index = 0; index < token.length; index += 1) {
    const other = token[index] === 'A' ? 'B' : 'A'
    expect(verifyApiToken(token.slice(0, index) + other + token.slice(index + 1), key), String(index)).toBeUndefined()
  }
  for (const wrong of [
    '',
    '.',
    text,
    `${text}.`,
    `.${signature}`,
    `${token}.`,
    `${token}.${signature}`,
    `${token}=`,
    ` ${token}`,
  ])
    expect(verifyApiToken(wrong, key), wrong).toBeUndefined()
})
