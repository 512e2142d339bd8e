import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { echoBytes, openPlain, startEcho } from './echo.ts'
import { startGateway } from './gateway.ts'

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
    const container = await startEcho()
    onTestFinished(container.stop)
    const gateway = await startGateway({ instances: 1, speaks: 'tcp', containerPort: container.port })
    onTestFinished(gateway.stop)
    const transfer = async (bytes: number) => echoBytes(await openPlain(gateway.plainPorts[0] ?? 0), bytes)
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
