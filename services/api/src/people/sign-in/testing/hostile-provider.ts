import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

type Payload = Record<string, unknown>

/** Values from which a test creates the token response of a hostile provider. */
export type Exchange = Readonly<{
  issuer: string
  /** Claims of a correct ID token. */
  payload: Payload
  /** Signs a token with the published key. */
  sign: (payload: Payload) => Promise<string>
  /** Signs a token with an unpublished key, but with the key id of the published one. */
  signWithOtherKey: (payload: Payload) => Promise<string>
  /** Modulus of the published RSA key. An attack signs with this public value as if it were a shared secret. */
  publicModulus: string
}>

export type HostileAnswer = Readonly<{ idToken?: string; user?: Payload }>

/** Starts a provider whose tokens a test creates. @param answer creates the response of the token endpoint */
export async function startHostileProvider(answer: (exchange: Exchange) => Promise<HostileAnswer>) {
  const own = await generateKeyPair('RS256', { extractable: true })
  const other = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let nonce = ''
  let user: Payload = {}
  const signWith = (key: typeof own.privateKey) => (payload: Payload) =>
    new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(key)
  const answers: Readonly<Record<string, () => Promise<unknown>>> = {
    '/.well-known/openid-configuration': async () => ({
      ...{ issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/jwks` },
      ...{ userinfo_endpoint: `${issuer}/user`, response_types_supported: ['code'], subject_types_supported: ['public'] },
      ...{ id_token_signing_alg_values_supported: ['RS256'], authorization_response_iss_parameter_supported: true },
    }),
    '/jwks': async () => ({ keys: [jwk] }),
    '/token': async () => {
      const now = Math.floor(Date.now() / 1000)
      const payload = {
        ...{ iss: issuer, aud: 'capstan', sub: 'eve', nonce, iat: now, exp: now + 300 },
        ...{ email: 'eve@uni.example', email_verified: true, preferred_username: 'eve' },
      }
      const sign = signWith(own.privateKey)
      const made = await answer({
        issuer,
        payload,
        sign,
        signWithOtherKey: signWith(other.privateKey),
        publicModulus: jwk.n ?? '',
      })
      user = made.user ?? { sub: 'eve' }
      return { access_token: 'a', token_type: 'Bearer', ...(made.idToken !== undefined && { id_token: made.idToken }) }
    },
    '/user': async () => user,
  }
  server.on('request', (request, response) => {
    const make = answers[request.url ?? '']
    if (!make) response.writeHead(404).end()
    else void make().then((body) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body)))
  })
  return {
    issuer,
    /** Answers an authorization request with the redirect of a successful login. @returns the query string of the callback */
    authorize(url: string, change: Readonly<Record<string, string>> = {}): string {
      const query = new URL(url).searchParams
      nonce = query.get('nonce') ?? ''
      return `?${new URLSearchParams({ code: 'c', state: query.get('state') ?? '', iss: issuer, ...change })}`
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
