import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })

/** A free port that the system gives to nobody, and is none of instances: what stops and comes back there finds it as it was left. */
export const portOfNobody = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(10_000, 15_000)
    if (await isFree(port)) return port
  }
}
