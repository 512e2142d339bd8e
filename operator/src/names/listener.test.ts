import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { maxConnectionsPerTeam, startDnsListener } from './listener.ts'
import { addLengthPrefix } from './tcp-messages.ts'

it('the name server stops resolving queries of a TCP client that does not read the responses', async () => {
  const queries = 1_000
  let answers = 0
  const resolver = {
    async resolve() {
      answers += 1
      return Buffer.alloc(60_000)
    },
    wake() {},
    ownerOf: (address: string) => address,
  }
  const listener = await startDnsListener(0, resolver)
  const client = connect(listener.port, '127.0.0.1').pause()
  onTestFinished(() => {
    client.destroy()
    listener.close()
  })
  await once(client, 'connect')
  client.write(Buffer.concat(Array.from({ length: queries }, () => addLengthPrefix(Buffer.from('query')))))
  let before = -1
  // Wait until the number of responses no longer changes. All buffers are then full.
  await expect
    .poll(() => {
      const isFull = answers > 0 && answers === before
      before = answers
      return isFull
    })
    .toBe(true)
  expect(answers).toBeLessThan(queries / 2)
  client.resume()
  await expect.poll(() => answers === queries).toBe(true)
})

it('the name server closes a team’s connections above the maximum, and accepts a new connection after another connection ends', async () => {
  const listener = await startDnsListener(0, { resolve: async (message) => message, wake() {}, ownerOf: () => 'team' })
  onTestFinished(() => listener.close())
  /**
   * Opens a connection and sends a DNS query.
   * @returns true if the query gets a response
   */
  const open = async () => {
    const client = connect(listener.port, '127.0.0.1')
    onTestFinished(() => void client.destroy())
    client.on('error', () => {})
    client.write(addLengthPrefix(Buffer.from('query')))
    const isAnswered = await new Promise<boolean>((resolve) => {
      client.once('data', () => resolve(true)).once('close', () => resolve(false))
    })
    return { client, isAnswered }
  }
  const all = await Promise.all(Array.from({ length: maxConnectionsPerTeam + 1 }, open))
  const accepted = all.filter(({ isAnswered }) => isAnswered)
  expect(accepted).toHaveLength(maxConnectionsPerTeam)
  accepted[0]?.client.destroy()
  await expect.poll(async () => (await open()).isAnswered).toBe(true)
})

/** Starts a name server and a TCP client of it. Both are closed after the test. */
async function connectToListener(resolver: Parameters<typeof startDnsListener>[1]) {
  const listener = await startDnsListener(0, resolver)
  const client = connect(listener.port, '127.0.0.1')
  onTestFinished(() => {
    client.destroy()
    listener.close()
  })
  return client
}

it('the name server closes a connection after the first message that gets no answer, and reads no further messages', async () => {
  const asked: string[] = []
  const resolver = {
    async resolve(message: Buffer) {
      asked.push(message.toString())
      return asked.length < 2 ? message : undefined
    },
    wake() {},
    ownerOf: () => 'team',
  }
  const client = await connectToListener(resolver)
  const closed = new Promise((resolve) => client.on('error', () => {}).once('close', resolve))
  client.resume()
  client.write(Buffer.concat([addLengthPrefix(Buffer.from('query')), Buffer.alloc(20_000)]))
  await closed
  expect(asked).toEqual(['query', ''])
})

it('the name server closes a connection whose query fails for an unexpected reason', async () => {
  const resolver = {
    async resolve(): Promise<Buffer> {
      throw new Error('unexpected')
    },
    wake() {},
    ownerOf: () => 'team',
  }
  const client = await connectToListener(resolver)
  const closed = once(client, 'close')
  client.write(addLengthPrefix(Buffer.from('query')))
  await closed
})
