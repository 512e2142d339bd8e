import { expect, test } from 'vitest'
import { relyingPartyOf } from './webauthn.ts'

test.each([
  ['https://ctf.example', { id: 'ctf.example', origin: 'https://ctf.example' }],
  ['https://ctf.example:8443/', { id: 'ctf.example', origin: 'https://ctf.example:8443' }],
  ['http://localhost:8080', { id: 'localhost', origin: 'http://localhost:8080' }],
  ['http://ctf.example', undefined],
  ['https://192.0.2.7', undefined],
  ['https://[2001:db8::1]', undefined],
  [undefined, undefined],
])('the public origin %s has the relying party %o', (publicOrigin, party) => {
  expect(relyingPartyOf(publicOrigin)).toEqual(party)
})
