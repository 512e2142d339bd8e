import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Configuration, Provider } from 'oidc-provider'

export const testClient = { id: 'capstan', secret: 'secret-of-the-journeys' } as const

/**
 * Starts `oidc-provider`, a certified identity provider, with simple login pages that accept every password.
 * @param callback allowed callback address
 * @param accounts claims by login name
 */
export async function startIdentityProvider(callback: string, accounts: Readonly<Record<string, Record<string, unknown>>>) {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = {
    client_id: testClient.id,
    client_secret: testClient.secret,
    redirect_uris: [callback],
    post_logout_redirect_uris: [new URL('/account/login', callback).href],
  }
  const settings: Configuration = {
    clients: [{ ...client, token_endpoint_auth_method: 'client_secret_post' }],
    claims: { email: ['email', 'email_verified'], profile: ['preferred_username', 'name'] },
    findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId, ...accounts[accountId] }) }),
  }
  server.on('request', new Provider(issuer, settings).callback())
  return {
    issuer,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
