import { sign } from 'node:crypto'
import { expect, test } from 'vitest'
import { privateKeyFromSeed, rawPublicKeyOfSeed } from './ed25519.ts'
import { createGameKeys, openGameKey } from './game-keys.ts'
import { deriveGameSalt } from './game-salt.ts'
import { cryptoRandom } from './random.ts'

// RFC 8032, section 7.1, test 1.
const seed = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex')

test('derives the public key from the seed in the example of RFC 8032', () => {
  expect(rawPublicKeyOfSeed(seed).toString('hex')).toBe('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a')
})

test('creates the signature of the example in RFC 8032', () => {
  expect(sign(null, Buffer.alloc(0), privateKeyFromSeed(seed)).toString('hex')).toBe(
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  )
})

test('creates a raw 32-byte public key and a private key that only the server secret decrypts', () => {
  const keys = createGameKeys('secret', cryptoRandom)
  expect(Buffer.from(keys.publicKey, 'base64')).toHaveLength(32)
  expect(rawPublicKeyOfSeed(openGameKey(keys, 'secret')).toString('base64')).toBe(keys.publicKey)
  expect(() => openGameKey(keys, 'other')).toThrow('Could not open a sealed value')
})

test('refuses the private key of another game', () => {
  const first = createGameKeys('secret', cryptoRandom)
  const second = createGameKeys('secret', cryptoRandom)
  expect(() => openGameKey({ publicKey: first.publicKey, privateKey: second.privateKey }, 'secret')).toThrow()
})

test('creates a different key pair for each game', () => {
  expect(createGameKeys('secret', cryptoRandom).publicKey).not.toBe(createGameKeys('secret', cryptoRandom).publicKey)
})

test('derives the salt from the private key of the game', () => {
  // Expected value from: openssl dgst -sha256 -mac HMAC -macopt hexkey:9d61… over "capstan game salt v1"
  expect(deriveGameSalt(seed)).toBe('38ce887277d5abcc369f6a80233a656714ba25b054330353f53125d8b1782560')
  expect(deriveGameSalt(Buffer.alloc(32))).not.toBe(deriveGameSalt(seed))
})
