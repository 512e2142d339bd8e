import { createServer } from 'node:net'

/**
 * Returns a port that is currently free. Some tests need the port in advance, because they must know the public origin before the
 * platform starts.
 */
export async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}
