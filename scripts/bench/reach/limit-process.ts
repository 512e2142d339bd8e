import { Agent, createServer as createHttpServer, request as httpRequest, type RequestListener } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { answerOrders } from '../worker.ts'
import { type Certificate, smallBytes, streamBytes } from './place.ts'

/** What a gateway is measured beside, or what stands behind both. */
export type LimitOrder =
  /** Two sockets piped into each other: where there is no socat. */
  | Readonly<{ kind: 'relay'; containerPort: number; certificate?: Certificate }>
  /** Requests and answers piped into each other. */
  | Readonly<{ kind: 'http-proxy'; containerPort: number }>
  /** Answers `/small` and `/stream`. */
  | { readonly kind: 'http-container' }
  /** Says what it is told, or answers a request, and never ends a connection. */
  | { readonly kind: 'quiet-container' }

function startRelay(containerPort: number, certificate: Certificate | undefined): Server {
  const relay = (client: Socket) => {
    const container = connect({ port: containerPort, host: '127.0.0.1', noDelay: true })
    for (const socket of [client, container]) socket.on('error', () => {})
    client.pipe(container)
    container.pipe(client)
  }
  if (!certificate) return createServer({ noDelay: true }, relay)
  return createTlsServer({ cert: certificate.certificate, key: certificate.key, noDelay: true }, relay)
}

function startHttpProxy(containerPort: number): Server {
  const agent = new Agent({ keepAlive: true })
  return createHttpServer((request, response) => {
    const { method, url: path, headers } = request
    const outgoing = httpRequest({ host: '127.0.0.1', port: containerPort, method, path, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    outgoing.on('error', () => response.destroy())
    request.pipe(outgoing)
  })
}

const small = Buffer.alloc(smallBytes, 'x')
const piece = Buffer.alloc(64 * 1024, 'x')

const answerHttp: RequestListener = (request, response) => {
  response.setHeader('content-type', 'application/octet-stream')
  if (request.url !== '/stream') {
    response.setHeader('content-length', smallBytes)
    response.end(small)
    return
  }
  let left = streamBytes
  const fill = () => {
    while (left > 0) {
      left -= piece.length
      if (!response.write(piece)) {
        response.once('drain', fill)
        return
      }
    }
    response.end()
  }
  fill()
}

function startQuietContainer(): Server {
  return createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      const isRequest = bytes.toString('latin1', 0, 4) === 'GET '
      socket.write(isRequest ? 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok' : bytes)
    })
  })
}

function serverOf(order: LimitOrder): Server {
  switch (order.kind) {
    case 'relay':
      return startRelay(order.containerPort, order.certificate)
    case 'http-proxy':
      return startHttpProxy(order.containerPort)
    case 'http-container':
      return createHttpServer(answerHttp)
    case 'quiet-container':
      return startQuietContainer()
  }
}

/** @returns its port */
async function start(order: LimitOrder): Promise<number> {
  const server = serverOf(order)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4_096, resolve))
  return (server.address() as AddressInfo).port
}

answerOrders(start)
