import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, connect, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { testClient } from './identity-provider.ts'

const run = promisify(execFile)
const host = 'oauth.ctftime.org'
/** Module that makes a process resolve CTFtime's host name to this machine. */
const names = pathToFileURL(path.join(import.meta.dirname, 'ctftime-names.mjs')).href

/** Account at CTFtime, in the form that `/user` returns if both scopes are granted. */
type CtftimeUser = Readonly<{ id: number; name: string; email: string; team: Readonly<{ id: number; name: string }> }>

/** Creates a self-signed certificate for CTFtime's host name. */
async function createCertificate() {
  const folder = await mkdtemp(path.join(tmpdir(), 'capstan-ctftime-'))
  const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')]
  try {
    const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`]
    const files = ['-keyout', key, '-out', cert]
    await run('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, ...files])
    return { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

function answerJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/**
 * Starts a stand-in for the OAuth server of CTFtime. It follows the description for organizers
 * (https://ctftime.org/for-organizers/oauth/): authorization code, scopes for profile and team, and `/user`. The login page has a
 * button for each account.
 * @param callback allowed callback address
 * @returns settings with which a platform and a browser connect to the stand-in under CTFtime's host name
 */
export async function startCtftime(callback: string, users: readonly CtftimeUser[]) {
  const certificate = await createCertificate()
  const codes = new Map<string, CtftimeUser>()
  const tokens = new Map<string, CtftimeUser>()
  const find = (name: string | null) => users.find((user) => user.name === name)

  const authorize = (query: URLSearchParams, response: ServerResponse) => {
    const isKnown = query.get('client_id') === testClient.id && query.get('redirect_uri') === callback
    if (!isKnown || query.get('response_type') !== 'code' || query.get('scope') !== 'profile:read team:read')
      return response.writeHead(400).end('invalid_request')
    const user = find(query.get('user'))
    if (!user) {
      const hidden = [...query].map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`).join('')
      const buttons = users.map(({ name }) => `<button name="user" value="${name}">${name}</button>`).join('')
      return response.writeHead(200, { 'content-type': 'text/html' }).end(`<h1>CTFtime</h1><form>${hidden}${buttons}</form>`)
    }
    const code = randomBytes(16).toString('hex')
    codes.set(code, user)
    const answer = new URLSearchParams({ code, state: query.get('state') ?? '' })
    return response.writeHead(302, { location: `${callback}?${answer}` }).end()
  }
  const exchange = async (request: IncomingMessage, response: ServerResponse) => {
    const form = new URLSearchParams(await text(request))
    const code = form.get('code') ?? ''
    const user = codes.get(code)
    codes.delete(code)
    const isClient = form.get('client_id') === testClient.id && form.get('client_secret') === testClient.secret
    if (!user || !isClient || form.get('redirect_uri') !== callback) return answerJson(response, 400, { error: 'invalid_grant' })
    const token = randomBytes(16).toString('hex')
    tokens.set(token, user)
    return answerJson(response, 200, { access_token: token, token_type: 'Bearer', expires_in: 3600 })
  }
  const server = createServer(certificate, (request, response) => {
    const url = new URL(request.url ?? '/', `https://${host}`)
    if (url.pathname === '/authorize') return void authorize(url.searchParams, response)
    if (url.pathname === '/token' && request.method === 'POST') return void exchange(request, response)
    const user = tokens.get(request.headers.authorization?.replace(/^Bearer /, '') ?? '')
    if (url.pathname === '/user' && user) return answerJson(response, 200, user)
    return answerJson(response, 401, { error: 'invalid_token' })
  })
  const port = await listen(server)
  // The platform connects to port 443. This proxy forwards the connection to the port of the stand-in.
  const proxy = createHttpServer()
  const tunnels = new Set<Duplex>()
  proxy.on('connect', (_request: IncomingMessage, client) => {
    tunnels.add(client)
    const upstream = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      upstream.pipe(client).pipe(upstream)
    })
    upstream.on('error', () => client.destroy())
    client.on('error', () => upstream.destroy())
    client.on('close', () => upstream.destroy())
  })
  const proxyPort = await listen(proxy)
  return {
    platformEnv: {
      NODE_OPTIONS: `--import=${names}`,
      CAPSTAN_OUTGOING_ALLOWED: host,
      CAPSTAN_OUTGOING_CA: certificate.cert,
      CAPSTAN_OUTGOING_PROXY: `http://127.0.0.1:${proxyPort}`,
    },
    browserFlags: [`--host-resolver-rules=MAP ${host} 127.0.0.1:${port}`, '--ignore-certificate-errors'],
    async close() {
      for (const each of tunnels) each.destroy()
      for (const each of [server, proxy]) {
        each.closeAllConnections()
        await new Promise((resolve) => each.close(resolve))
      }
    },
  }
}
