import type { AddressInfo } from 'node:net'
import { describeListenerLimits } from '@capstan/http/testing/describe-limits'
import { buildApp } from './app.ts'
import { startTestApp } from './testing/app.ts'

describeListenerLimits(
  'the api',
  async (listener) => {
    const context = await startTestApp()
    const app = await buildApp(context.deps, { listener })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const close = async () => {
      await app.close()
      await context.close()
    }
    return { port: (app.server.address() as AddressInfo).port, close }
  },
  { postPath: '/api/account/login', getPath: '/healthz' },
)
