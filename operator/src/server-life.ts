import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ServerLife {
  /** Starts the server and returns its port. If `port` is 0, the system chooses the port. */
  listen(port: number, host?: string): Promise<number>
  /** Closes the server and all its connections. */
  close(): Promise<void>
}

export function createServerLifecycle(server: Server): ServerLife {
  return {
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
