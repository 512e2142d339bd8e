import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}

/**
 * Returns a free port. A server can stop and restart on it, because it is outside of the ephemeral port range and of the ports of
 * instances.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 15_000)
    if (await isFree(port)) return port
  }
}
