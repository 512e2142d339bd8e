// Minimal HTTP proxy that uses http.request. It shows the maximum rate of requests to an instance.
import { once } from 'node:events'
import { Agent, createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { runAsWorker } from '../process.ts'

/**
 * Starts the proxy in front of a container.
 * @returns the port of the proxy
 */
async function start({ containerPort }: Readonly<{ containerPort: number }>): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  const server = createServer((request, response) => {
    const { method, url: path, headers } = request
    const outgoing = httpRequest({ host: '127.0.0.1', port: containerPort, method, path, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    outgoing.on('error', () => response.destroy())
    request.pipe(outgoing)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

runAsWorker(start)
