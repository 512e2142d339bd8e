import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createLimitedServer, type ListenerLimits, type ListenerOptions } from '../listener.ts'

/** Starts a listener of the platform on a free port. `close` also ends its connections. */
export async function startLimitedServer(answer: RequestListener, limits?: ListenerLimits, options?: ListenerOptions) {
  const server = createLimitedServer(answer, limits, options)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () =>
    new Promise((resolve) => {
      server.close(resolve)
      server.closeAllConnections()
    })
  return { server, close, port: (server.address() as AddressInfo).port }
}
