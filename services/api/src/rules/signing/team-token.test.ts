import { describe, expect, test } from 'vitest'
import { createGameKeys, openGameKey } from './game-keys.ts'
import { cryptoRandom } from './random.ts'
import { refuseInvalidTeamToken, signTeamToken } from './team-token.ts'

// Key pair of RFC 8032, section 7.1, test 1. The signatures were made with openssl pkeyutl.
const seed = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex')
const publicKey = '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='
const signature = 'IH4iOtUb+wQwF2Pl5rC5H68POJV+c/OmYZz9mEHYWGTTHjjcYms05fXDW8oZAUXepj2bzrXOGbTy8G8uCmhdBQ=='
const token = `7:${signature}`
const crewToken = '7:Aa3wockvl7+Wqp51e7aAjMThZILSaIfJhcJLyvNzjNTMu27pFcAEnTwrF+NtiQbAdXRH6IOOAEa7AQKNBNU/Ag=='

describe('signing', () => {
  test('the token of team 7 consists of its id and the signature of TEAM_7', () => {
    expect(signTeamToken(7, seed)).toBe(token)
  })

  test('the signed text begins with the configured prefix', () => {
    expect(signTeamToken(7, seed, 'crew-')).toBe(crewToken)
  })
})

describe('verifying', () => {
  test.each([
    ['a good token passes', token, publicKey, undefined],
    ['blanks around token and key are ignored', ` ${token}\n`, ` ${publicKey} `, undefined],
    ['a token without a colon has the wrong form', `7${signature}`, publicKey, 'team.token-form'],
    ['a token without a team has the wrong form', `:${signature}`, publicKey, 'team.token-form'],
    ['a team that is not a number has the wrong form', `x:${signature}`, publicKey, 'team.token-form'],
    ['a negative team has the wrong form', `-7:${signature}`, publicKey, 'team.token-form'],
    ['a token without a signature has the wrong form', '7:', publicKey, 'team.token-form'],
    ['a signature that is not Base64 has the wrong form', '7:not base64!', publicKey, 'team.token-form'],
    ['an empty token has the wrong form', '', publicKey, 'team.token-form'],
    ['an empty key has the wrong form', token, '', 'team.token-form'],
    ['a key of 31 bytes has the wrong form', token, Buffer.alloc(31).toString('base64'), 'team.token-form'],
    ['a key of 33 bytes has the wrong form', token, Buffer.alloc(33).toString('base64'), 'team.token-form'],
    ['a key that is not Base64 has the wrong form', token, '!'.repeat(44), 'team.token-form'],
    ['the signature of team 7 is wrong for team 8', `8:${signature}`, publicKey, 'team.token-signature'],
    ['a changed signature is wrong', `7:${signature.replace('IH', 'IJ')}`, publicKey, 'team.token-signature'],
    ['a short signature is wrong', '7:AAAA', publicKey, 'team.token-signature'],
    ['a key of zeros matches no signature', token, Buffer.alloc(32).toString('base64'), 'team.token-signature'],
    [
      'a key that is not a point of the curve matches no signature',
      token,
      Buffer.alloc(32, 255).toString('base64'),
      'team.token-signature',
    ],
    ['a token with another prefix is wrong', crewToken, publicKey, 'team.token-signature'],
  ])('%s', (_, givenToken, givenKey, expected) => {
    expect(refuseInvalidTeamToken(givenToken, givenKey)).toBe(expected)
  })

  test('accepts a token that was signed with the configured prefix', () => {
    expect(refuseInvalidTeamToken(crewToken, publicKey, 'crew-')).toBeUndefined()
    expect(refuseInvalidTeamToken(token, publicKey, 'crew-')).toBe('team.token-signature')
  })

  test('accepts a token of a new game only with the public key of that game', () => {
    const game = createGameKeys('secret', cryptoRandom)
    const other = createGameKeys('secret', cryptoRandom)
    const made = signTeamToken(2147483647, openGameKey(game, 'secret'))
    expect(refuseInvalidTeamToken(made, game.publicKey)).toBeUndefined()
    expect(refuseInvalidTeamToken(made, other.publicKey)).toBe('team.token-signature')
  })
})
