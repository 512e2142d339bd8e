import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startWorker } from '../worker.ts'
import { openPlain, startByteContainer } from './byte-ends.ts'
import type { GatewayOrder, StartedGateway } from './gateway-process.ts'
import { makeCertificate, readGatewayImage } from './place.ts'

const megabyte = 1024 * 1024
/** Half of the connections that one address may have at a plain port. */
const connections = 16
const transferBytes = 32 * megabyte
/** Memory that the gateway may use after large transfers, beyond what it uses before them. */
const maxExtraBytes = 60 * megabyte

const isMissing = existsSync('/proc/self/status') ? undefined : '/proc'

/** Returns the memory that a process shares with no file, in bytes. Other processes that end do not change it. */
async function readOwnMemory(pid: number): Promise<number> {
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
}

test.skipIf(isMissing)(
  `a gateway with the settings of its image releases the memory of large transfers${isMissing ? ` (needs ${isMissing})` : ''}`,
  async () => {
    const container = await startByteContainer(transferBytes)
    onTestFinished(container.stop)
    const { flags, environment } = await readGatewayImage()
    const file = new URL('./gateway-process.ts', import.meta.url)
    const gateway = startWorker<GatewayOrder, StartedGateway>(file, flags, environment)
    onTestFinished(gateway.stop)
    const certificate = await makeCertificate()
    const { plainPorts } = await gateway.ask({ certificate, instances: 1, speaks: 'tcp', containerPort: container.port })
    const transfer = async (bytes: number): Promise<void> => {
      const socket = await openPlain(plainPorts[0] ?? 0)
      let missing = bytes
      const received = new Promise<void>((resolve, reject) => {
        socket.on('data', (chunk: Buffer) => {
          missing -= chunk.length
          if (missing <= 0) resolve()
        })
        socket.once('close', () => reject(new Error(`The gateway closed the connection ${missing} bytes too early`)))
      })
      socket.write('D')
      await received
      socket.destroy()
    }
    await transfer(megabyte)
    const before = await readOwnMemory(gateway.pid)
    await Promise.all(Array.from({ length: connections }, () => transfer(transferBytes)))
    const readAfterTransfer = async () => {
      // The garbage collector runs when connections need memory.
      await transfer(megabyte)
      return readOwnMemory(gateway.pid)
    }
    await expect.poll(readAfterTransfer, { interval: 500 }).toBeLessThan(before + maxExtraBytes)
  },
)
