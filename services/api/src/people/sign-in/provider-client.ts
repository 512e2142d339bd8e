// Calls to identity providers. `openid-client` implements the protocols: OAuth 2.0 with PKCE and OpenID Connect.
import { Problem, type ProblemCode } from '@capstan/contract/problems'
import { problemTitle } from '@capstan/contract/server-texts'
import type { SignInKind, SignInProfile } from '@capstan/contract/sign-in'
import { LRUCache } from 'lru-cache'
import * as openid from 'openid-client'
import { unsealText } from '../../rules/signing/secret-box.ts'
import type { FencedFetch } from '../../server/outgoing/fenced-fetch.ts'
import type { SignInAttempt } from './attempt.ts'
import { type Claims, isValidSubject, mergeTokenAndUserInfoClaims, toSignInProfile } from './claims.ts'
import type { ProviderRow } from './repository.ts'

/** Maximum time of a call to a provider, in seconds. */
const timeoutSeconds = 15
/** Maximum size of a provider's response. Usual responses, such as key sets and user info, have a few kilobytes. */
const maxAnswerBytes = 1024 * 1024
/** Tolerated difference between the clocks of provider and server, in seconds. */
const clockToleranceSeconds = 60
/**
 * Time after which the endpoints of a provider are discovered again, in ms. The signing keys are read again for each unknown key
 * id.
 */
const configurationLifetimeMs = 600_000

/** Endpoints of a kind of provider that does not support discovery. */
type FixedProvider = Readonly<{
  server: openid.ServerMetadata
  scope: string
  user: string
  /** URL that returns the verified email addresses of the user. Absent if the response of `user` contains them. */
  emails?: string
  /** Converts the responses of the provider to claims with the names of OpenID Connect. */
  toClaims: (user: Claims, emails: readonly Claims[]) => Claims
}>

export type FixedProviders = Readonly<Record<Exclude<SignInKind, 'OpenId'>, FixedProvider>>

/** Providers with plain OAuth 2.0. Sources: GitHub's REST documentation, and CTFtime's description of its OAuth server. */
export const fixedProviders: FixedProviders = {
  GitHub: {
    server: {
      // GitHub sends this issuer in its callbacks (RFC 9207).
      issuer: 'https://github.com/login/oauth',
      authorization_endpoint: 'https://github.com/login/oauth/authorize',
      token_endpoint: 'https://github.com/login/oauth/access_token',
    },
    scope: 'read:user user:email',
    user: 'https://api.github.com/user',
    emails: 'https://api.github.com/user/emails',
    toClaims: ({ id, login, name }, emails) => {
      const primary = emails.find(({ primary: isPrimary }) => isPrimary === true)
      return { sub: id, preferred_username: login, name, email: primary?.email, email_verified: primary?.verified }
    },
  },
  Ctftime: {
    server: {
      issuer: 'https://ctftime.org',
      authorization_endpoint: 'https://oauth.ctftime.org/authorize',
      token_endpoint: 'https://oauth.ctftime.org/token',
    },
    scope: 'profile:read team:read',
    user: 'https://oauth.ctftime.org/user',
    // CTFtime does not say whether an address is verified.
    toClaims: ({ id, cid, name, email, team }) => ({ sub: id ?? cid, preferred_username: name, email, team }),
  },
}

/** Names of claims that `toClaims` writes. */
const fixedClaims = {
  userName: 'preferred_username',
  realName: 'name',
  stdNumber: '',
  adminClaim: '',
  adminValue: '',
  team: 'team',
}

export type ProviderClientOptions = Readonly<{
  serverSecret: string
  /** Client secrets of the server's configuration, as a map from the key of a provider to its secret. */
  secrets: ReadonlyMap<string, string>
  /**
   * Sends all requests to providers. This function refuses forbidden addresses, because admins enter the addresses of providers.
   */
  outgoing: FencedFetch
  /** True if providers may be called over HTTP without TLS. */
  allowHttp: boolean
  fixed?: FixedProviders
}>

/** Returns the context in which the client secret of a provider is sealed: purpose and provider. */
export function sealContextOfClientSecret(providerId: string): string {
  return `sign-in provider ${providerId}`
}

function refusal(code: ProblemCode, cause: unknown): Problem {
  return Object.assign(new Problem(code), { cause })
}

/** Returns the cause of a refused sign-in for the platform's log: codes of the provider and of the protocol's checks. */
export function describeSignInFailure({ code: problem, cause }: Problem): string {
  if (cause === undefined) return problemTitle(problem, 'en-US')
  const { code, error, message, cause: inner } = cause as { [name: string]: unknown; cause?: unknown }
  const words = [error, code, inner instanceof Error ? inner.message : message].filter((part) => typeof part === 'string')
  return words.join(', ').slice(0, 200)
}

/** Returns a fetch function that reaches only permitted addresses. It follows no redirect (RFC 9700, section 4.12). */
function fencedFetch(outgoing: FencedFetch): openid.CustomFetch {
  return async (address, { method, headers, body }) => {
    const {
      status,
      headers: answered,
      text,
    } = await outgoing.request(address, {
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      ...(body && { body: String(body) }),
      timeoutMs: timeoutSeconds * 1_000,
      maxBytes: maxAnswerBytes,
    })
    const type = answered['content-type']
    return new Response(status === 204 ? null : text, {
      status,
      ...(type !== undefined && { headers: { 'content-type': type } }),
    })
  }
}

export function createProviderClient({
  serverSecret,
  secrets,
  outgoing,
  allowHttp,
  fixed = fixedProviders,
}: ProviderClientOptions) {
  const fetch = fencedFetch(outgoing)
  const configurations = new LRUCache<string, Promise<openid.Configuration>>({ max: 100, ttl: configurationLifetimeMs })

  const secretOf = ({ id, key, clientSecret }: ProviderRow): string | undefined => {
    if (secrets.has(key) || clientSecret === null) return secrets.get(key)
    return unsealText(clientSecret, sealContextOfClientSecret(id), serverSecret).toString()
  }

  const clientOf = (provider: ProviderRow) => {
    const { clientId } = provider
    const secret = secretOf(provider)
    return {
      clientId,
      metadata: { [openid.clockTolerance]: clockToleranceSeconds },
      authentication: secret === undefined ? openid.None() : openid.ClientSecretPost(secret),
    }
  }

  const configure = async (provider: ProviderRow): Promise<openid.Configuration> => {
    const { clientId, metadata, authentication } = clientOf(provider)
    if (provider.kind !== 'OpenId') {
      const configuration = new openid.Configuration(fixed[provider.kind].server, clientId, metadata, authentication)
      configuration[openid.customFetch] = fetch
      configuration.timeout = timeoutSeconds
      if (allowHttp) openid.allowInsecureRequests(configuration)
      return configuration
    }
    return openid.discovery(new URL(provider.issuer), clientId, metadata, authentication, {
      [openid.customFetch]: fetch,
      timeout: timeoutSeconds,
      // Check the signature of the ID token, too, although the token arrives directly from the provider over TLS.
      execute: [openid.enableNonRepudiationChecks, ...(allowHttp ? [openid.allowInsecureRequests] : [])],
    })
  }

  const cacheKeyOf = ({ id, key, kind, issuer, clientId, clientSecret }: ProviderRow): string =>
    JSON.stringify([id, key, kind, issuer, clientId, clientSecret])

  /** Reads the configuration of a provider, and replaces the cached configuration. @throws Problem `sign-in.unreachable` */
  const refresh = (provider: ProviderRow): Promise<openid.Configuration> => {
    const key = cacheKeyOf(provider)
    const pending = configure(provider).catch((cause) => {
      if (configurations.peek(key) === pending) configurations.delete(key)
      throw refusal('sign-in.unreachable', cause)
    })
    configurations.set(key, pending)
    return pending
  }

  /** @throws Problem `sign-in.unreachable` */
  const configurationOf = (provider: ProviderRow): Promise<openid.Configuration> =>
    configurations.get(cacheKeyOf(provider)) ?? refresh(provider)

  const readJson = async (configuration: openid.Configuration, token: string, address: string): Promise<unknown> => {
    const headers = new Headers({ accept: 'application/json', 'user-agent': 'Capstan' })
    const response = await openid.fetchProtectedResource(configuration, token, new URL(address), 'GET', null, headers)
    if (!response.ok) throw new Error(`The provider answered ${response.status}`)
    return response.json()
  }

  /**
   * Reads the claims of the user. OpenID Connect providers send the claims in the ID token and the user info. All other providers
   * return the claims in API responses.
   */
  const readClaims = async (
    provider: ProviderRow,
    configuration: openid.Configuration,
    tokens: Awaited<ReturnType<typeof openid.authorizationCodeGrant>>,
  ): Promise<Claims> => {
    if (provider.kind !== 'OpenId') {
      const { user, emails, toClaims } = fixed[provider.kind]
      const [answer, addresses] = await Promise.all([
        readJson(configuration, tokens.access_token, user),
        emails === undefined ? [] : readJson(configuration, tokens.access_token, emails),
      ])
      return toClaims(answer as Claims, Array.isArray(addresses) ? addresses : [])
    }
    const claims = tokens.claims()
    if (!claims) throw new Error('The answer contains no ID token')
    if (!configuration.serverMetadata().userinfo_endpoint) return claims
    return mergeTokenAndUserInfoClaims(claims, await openid.fetchUserInfo(configuration, tokens.access_token, claims.sub))
  }

  return {
    /** Reads the current configuration of a provider, not the cached configuration. @throws Problem `sign-in.unreachable` */
    async check(provider: ProviderRow): Promise<void> {
      await refresh(provider)
    },

    /** Returns the address of the provider's login page. @throws Problem `sign-in.unreachable` */
    async authorizationUrl(provider: ProviderRow, redirectUri: string, attempt: SignInAttempt): Promise<string> {
      const configuration = await configurationOf(provider)
      const isOpenId = provider.kind === 'OpenId'
      const usualScope = provider.kind === 'OpenId' ? 'openid profile email' : fixed[provider.kind].scope
      return openid.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: provider.scope || usualScope,
        state: attempt.state,
        code_challenge: await openid.calculatePKCECodeChallenge(attempt.codeVerifier),
        code_challenge_method: 'S256',
        ...(isOpenId && { nonce: attempt.nonce }),
      }).href
    },

    /**
     * Returns the address that ends the session at a provider (OpenID Connect RP-Initiated Logout 1.0, section 2).
     * @param returnTo address to which the provider sends the user afterwards
     * @returns undefined if the provider does not offer this
     * @throws Problem `sign-in.unreachable`
     */
    async logoutUrl(provider: ProviderRow, returnTo: string): Promise<string | undefined> {
      const configuration = await configurationOf(provider)
      if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined
      try {
        // `buildEndSessionUrl` adds the client ID, and refuses an endpoint that does not use HTTPS.
        return openid.buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo }).href
      } catch (cause) {
        throw refusal('sign-in.unreachable', cause)
      }
    },

    /**
     * Exchanges the provider's answer in a callback for the claims of the user, and checks issuer, audience, signature, nonce,
     * state and times.
     * @param answer query string of the callback
     * @throws Problem `sign-in.failed` with the cause, `sign-in.unreachable`
     */
    async readUser(
      provider: ProviderRow,
      redirectUri: string,
      answer: string,
      attempt: SignInAttempt,
    ): Promise<{ profile: SignInProfile; claims: Claims }> {
      const configuration = await configurationOf(provider)
      const isOpenId = provider.kind === 'OpenId'
      try {
        const callback = new URL(redirectUri)
        callback.search = answer
        const tokens = await openid.authorizationCodeGrant(configuration, callback, {
          pkceCodeVerifier: attempt.codeVerifier,
          expectedState: attempt.state,
          ...(isOpenId && { expectedNonce: attempt.nonce, idTokenExpected: true }),
        })
        const claims = await readClaims(provider, configuration, tokens)
        const profile = toSignInProfile(claims, isOpenId ? provider.claims : fixedClaims)
        if (!isValidSubject(profile.subject)) throw new Error('The answer contains no usable subject')
        return { profile, claims }
      } catch (cause) {
        throw refusal('sign-in.failed', cause)
      }
    },
  }
}

export type ProviderClient = ReturnType<typeof createProviderClient>
