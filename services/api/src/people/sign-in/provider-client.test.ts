import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { FencedFetch } from '../../server/outgoing/fenced-fetch.ts'
import type { SignInAttempt } from './attempt.ts'
import { createProviderClient } from './provider-client.ts'
import type { ProviderRow } from './repository.ts'

const redirectUri = 'https://ctf.example.org/account/sign-in/test'
const issuer = 'https://id.example.org'
const attempt: SignInAttempt = {
  ...{ providerId: 'p', purpose: 'LogIn', state: 'the-state', nonce: 'n', codeVerifier: 'v'.repeat(43), expiresAt: 0 },
}
function provider(kind: ProviderRow['kind']): ProviderRow {
  return {
    ...{ id: 'p', key: 'test', kind, name: 'Test', issuer: kind === 'OpenId' ? issuer : '', clientId: 'c', clientSecret: null },
    ...{ scope: '', isEnabled: true, endsSession: false, teamsEachTime: false },
    claims: { userName: 'preferred_username', realName: 'name', stdNumber: '', adminClaim: '', adminValue: '' },
  }
}

let asked: string[]
beforeEach(() => {
  asked = []
})

/** Creates a client with the real list of providers. Requests of this client get the given responses. */
function clientWith(responses: Readonly<Record<string, unknown>>) {
  const outgoing: FencedFetch = {
    check: (address) => new URL(address),
    request: async (address) => {
      asked.push(address)
      const body = responses[address]
      if (body === undefined) return { status: 404, headers: {}, text: '' }
      return { status: 200, headers: { 'content-type': 'application/json' }, text: JSON.stringify(body) }
    },
  }
  return createProviderClient({ serverSecret: 's', secrets: new Map([['test', 'x']]), outgoing, allowHttp: false })
}

describe('a sign-in with GitHub', () => {
  const signIn = (answer: string) =>
    clientWith({
      'https://github.com/login/oauth/access_token': { access_token: 'a', token_type: 'bearer', scope: 'user:email' },
      'https://api.github.com/user': { id: 583231, login: 'octocat', name: 'Octo Cat' },
      'https://api.github.com/user/emails': [{ email: 'octo@example.org', primary: true, verified: true }],
    }).readUser(provider('GitHub'), redirectUri, `?code=c&state=the-state${answer}`, attempt)

  test.each([
    ['has the issuer that GitHub sends', '&iss=https%3A%2F%2Fgithub.com%2Flogin%2Foauth'],
    ['has no issuer', ''],
  ])('a sign-in with GitHub succeeds if the callback %s', async (_, answer) => {
    const { profile } = await signIn(answer)
    expect(profile).toMatchObject({ subject: '583231', userName: 'octocat', email: 'octo@example.org', isEmailVerified: true })
  })

  test.each(['https://github.com', 'https://evil.example'])(
    'a sign-in with GitHub is refused if the callback has the issuer %s',
    async (iss) => {
      await expect(signIn(`&iss=${encodeURIComponent(iss)}`)).rejects.toMatchObject({ code: 'sign-in.failed' })
      expect(asked).toEqual([])
    },
  )
})

describe('the discovery of a provider', () => {
  const address = `${issuer}/.well-known/openid-configuration`
  const responses = {
    [address]: {
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
    },
  }
  let now = 1
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    vi.spyOn(performance, 'now').mockImplementation(() => now)
  })
  afterEach(() => {
    vi.restoreAllMocks()
    vi.useRealTimers()
  })

  test('the discovery is repeated every 10 minutes, even if the provider is used all the time', async () => {
    const client = clientWith(responses)
    for (let minute = 0; minute <= 20; minute += 1) {
      await client.authorizationUrl(provider('OpenId'), redirectUri, attempt)
      now += 60_000
      vi.advanceTimersByTime(60_000)
    }
    expect(asked).toEqual([address, address])
  })

  test('a provider check repeats the discovery, and later sign-ins use the new result', async () => {
    const client = clientWith(responses)
    await client.authorizationUrl(provider('OpenId'), redirectUri, attempt)
    await client.check(provider('OpenId'))
    await client.authorizationUrl(provider('OpenId'), redirectUri, attempt)
    expect(asked).toEqual([address, address])
  })
})
