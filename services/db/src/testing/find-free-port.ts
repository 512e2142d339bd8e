import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}

/**
 * Returns a free port on which a server can stop and restart. It is outside the ephemeral range and outside the ports of
 * instances.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 15_000)
    if (await isFree(port)) return port
  }
}
