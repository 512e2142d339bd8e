import type { Agent, IncomingMessage, RequestListener } from 'node:http'
import { createServer, type Server as HttpServer, request as httpRequest } from 'node:http'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import type { RouteTarget } from '@capstan/contract/gateway-backend'
import { generate } from 'selfsigned'
import { afterEach } from 'vitest'
import { closePorts, openPorts } from '../reach/ports.ts'
import type { Certificate } from '../reach/tls-endpoint.ts'
import { startTcpServer, type TcpServer } from './tcp-server.ts'
import { startTestGateway, type TestGateway, type TestGatewayOptions } from './test-gateway.ts'

export const domain = 'play.test'
export const label = 'abcdefghijklmnop2345'
export const otherLabel = 'zyxwvutsrqponmlk7654'
export function hostOf(name: string) {
  return `${name}.${domain}`
}
export const instanceId = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee'
export const otherInstanceId = 'bbbbbbbb-bbbb-4ccc-8ddd-eeeeeeeeeeee'
export const waiting = { timeout: 120_000, interval: 5 }

let made: Promise<Certificate> | undefined

/** Returns a certificate for `domain` and all names below it. Every call in a test file returns the same certificate. */
export function aCertificate(): Promise<Certificate> {
  made ??= generateCertificate()
  return made
}

export async function generateCertificate(): Promise<Certificate> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: domain }], {
    keyType: 'ec',
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: domain },
          { type: 2, value: `*.${domain}` },
        ],
      },
    ],
  })
  return { certificate: cert, key }
}

export function createReadyRouteTarget(port: number, more: Partial<Extract<RouteTarget, { state: 'ready' }>> = {}): RouteTarget {
  return {
    state: 'ready',
    instanceId,
    host: '127.0.0.1',
    port,
    kind: 'team',
    speaks: 'http',
    isRaw: false,
    hasOwnCertificate: false,
    ...more,
  }
}

/** Returns the number of refusals that the metrics of a gateway show for a limit. */
export async function countRefusals({ gateway }: TestGateway, limit: string): Promise<number> {
  const metric = await gateway.registry.getSingleMetric('capstan_gateway_refusals_total')?.get()
  return metric?.values.find(({ labels }) => labels.limit === limit)?.value ?? 0
}

/** Sends a text on a plain connection. Returns the received text once it contains `until` or the connection ends. */
export function sendTextAndReadResponse(port: number, text: string | Buffer, until?: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(text))
    socket.on('data', (bytes) => {
      answer += bytes.toString('latin1')
      if (until !== undefined && answer.includes(until)) socket.destroy()
    })
    socket.on('error', () => {})
    socket.once('close', () => resolve(answer))
  })
}

/** Sends a request with Node's client and returns the response. */
export function sendHttpRequest(
  port: number,
  options: {
    host?: string
    path?: string
    method?: string
    headers?: Record<string, string | string[]>
    body?: string | Buffer
    agent?: Agent
  } = {},
): Promise<IncomingMessage & { text: string }> {
  return new Promise((resolve, reject) => {
    const { host = hostOf(label), path = '/', method = 'GET', headers = {}, body, agent = false } = options
    const request = httpRequest({ host: '127.0.0.1', port, path, method, agent, headers: { host, ...headers } }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.once('end', () => resolve(Object.assign(response, { text: Buffer.concat(chunks).toString() })))
    })
    request.on('error', reject)
    request.end(body)
  })
}

/**
 * For each test of a file, provides instances, clients, and a gateway that offers all methods to connect to instances. Closes
 * them after the test.
 */
export function provideReachGateway() {
  const undo: (() => unknown)[] = []
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step()
  })

  async function startHttpServer(answer: RequestListener): Promise<{ server: HttpServer; port: number }> {
    const server = createServer(answer)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    undo.push(() => {
      server.closeAllConnections()
      server.close()
    })
    return { server, port: (server.address() as AddressInfo).port }
  }

  return {
    /** Starts an instance with Node's HTTP server. */
    startHttpServer,
    /** Starts an instance whose connections the test handles. */
    async startInstance(serve: (socket: Socket) => void): Promise<TcpServer> {
      const server = await startTcpServer(serve)
      undo.push(() => server.close())
      return server
    },
    async start(
      options: TestGatewayOptions = {},
    ): Promise<{ gateway: TestGateway; backend: TestGateway['backend']; tlsPort: number; rawPort: number }> {
      const tls = await aCertificate()
      const gateway = await startTestGateway({ ...options, config: { ways: { domain, tls }, ...options.config } })
      undo.push(() => gateway.close())
      const [secure, plain] = await Promise.all([openPorts([0], '127.0.0.1'), openPorts([0], '127.0.0.1')])
      undo.push(() => void Promise.all([closePorts(secure), closePorts(plain)]))
      const only = (servers: ReadonlyMap<number, Server>): Server => [...servers.values()][0]!
      const portOf = (server: Server) => (server.address() as AddressInfo).port
      gateway.gateway.attachTls(only(secure))
      gateway.gateway.attachPort(only(plain), portOf(only(plain)))
      return { gateway, backend: gateway.backend, tlsPort: portOf(only(secure)), rawPort: portOf(only(plain)) }
    },
  }
}
