import { PassThrough } from 'node:stream'
import { Limits } from '@capstan/contract/limits'
import { expect, test } from 'vitest'
import { createArchiveReceiver } from './received-archive.ts'

test('archives that do not arrive in time give up their places', async () => {
  const { receive } = createArchiveReceiver(1)
  const send = () => receive(new PassThrough(), async () => 'read')
  const slow = Array.from({ length: Limits.importsAtOnce }, () => send().catch((problem: unknown) => problem))
  await expect(send()).rejects.toMatchObject({ code: 'request.rate-limited' })
  for (const each of slow) expect(await each).toMatchObject({ code: 'request.too-slow' })
  await expect(send()).rejects.toMatchObject({ code: 'request.too-slow' })
})
