import { existsSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { readMemory } from '../usage.ts'
import { measureEchoRate, openTcpClient, startEchoServer } from './echo.ts'
import { startGateway } from './gateway.ts'

const megabyte = 1024 * 1024
const connections = 16
const transferBytes = 32 * megabyte
/** Maximum growth of the gateway's memory after large transfers. */
const maxExtraBytes = 60 * megabyte

const isMissing = existsSync('/proc/self/status') ? undefined : '/proc'

test.skipIf(isMissing)(
  `a gateway with the settings of its image releases the memory of large transfers${isMissing ? ` (needs ${isMissing})` : ''}`,
  async () => {
    const container = await startEchoServer()
    onTestFinished(container.stop)
    const gateway = await startGateway('tcp', container.port)
    onTestFinished(gateway.stop)
    const transfer = async (bytes: number) => measureEchoRate(await openTcpClient(gateway.plainPort), bytes)
    await transfer(megabyte)
    const before = await readMemory(gateway.pid, 'RssAnon')
    await Promise.all(Array.from({ length: connections }, () => transfer(transferBytes)))
    const readAfterTransfer = async () => {
      // Open a new connection, which triggers garbage collection. An idle process would not release the memory.
      await transfer(megabyte)
      return readMemory(gateway.pid, 'RssAnon')
    }
    await expect.poll(readAfterTransfer, { interval: 500 }).toBeLessThan(before + maxExtraBytes)
  },
)
