import { expect, it } from 'vitest'
import { createDnsForwarder } from './forward.ts'

it('a query by UDP gets no answer if the host name of the other name server has no address', async () => {
  const forward = createDnsForwarder({ host: 'server.invalid', port: 53 })
  expect(await forward(Buffer.from('query'), 'udp')).toBeUndefined()
})
