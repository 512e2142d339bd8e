import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

export const testClient = { id: 'capstan', secret: 'a-secret-of-the-client' } as const

/** Claims of an account. The account id is the text that a user types as login. */
type Accounts = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/**
 * Starts the certified provider `oidc-provider` with its own login pages. After a logout, it redirects to `/account/login`.
 * @param callback allowed callback address
 */
export async function startOidcProvider(callback: string, accounts: Accounts) {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: testClient.id,
        client_secret: testClient.secret,
        redirect_uris: [callback],
        post_logout_redirect_uris: [new URL('/account/login', callback).href],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['preferred_username', 'name', 'groups', 'team', 'division'],
    },
    findAccount: (_context, id) => ({ accountId: id, claims: async () => ({ sub: id, ...accounts[id] }) }),
    pkce: { required: () => true },
    cookies: { keys: ['test'] },
  })
  const handle = provider.callback()
  server.on('request', (request, response) => void handle(request, response))
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { issuer, close }
}

/** Logs in on the pages of the provider as a browser does: follows redirects, and submits the forms for login and consent. */
export async function logInAtProvider(url: string, login: string): Promise<URL> {
  const cookies = new Map<string, string>()
  const open = async (address: string, form?: Readonly<Record<string, string>>) => {
    const response = await fetch(address, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = line.split(';', 1)[0]?.split(/=(.*)/s) ?? []
      cookies.set(name, value)
    }
    return response
  }
  const { origin } = new URL(url)
  let response = await open(url)
  for (let step = 0; step < 20; step += 1) {
    const location = response.headers.get('location')
    if (location) {
      const next = new URL(location, origin)
      if (next.origin !== origin) return next
      response = await open(next.href)
      continue
    }
    const page = await response.text()
    const action = /action="([^"]+)"/.exec(page)?.[1]
    if (action === undefined) throw new Error(`The provider shows no form: ${page.slice(0, 500)}`)
    response = await open(
      new URL(action, origin).href,
      page.includes('name="login"') ? { prompt: 'login', login, password: 'x' } : { prompt: 'consent' },
    )
  }
  throw new Error('The provider does not end the login')
}
