import { expect, it } from 'vitest'
import { createDnsForwarder } from './forward.ts'

it('the forwarder returns nothing for a UDP query if the host name of the cluster’s DNS server has no address', async () => {
  const forward = createDnsForwarder({ host: 'server.invalid', port: 53 })
  expect(await forward(Buffer.from('query'), 'udp')).toBeUndefined()
})
