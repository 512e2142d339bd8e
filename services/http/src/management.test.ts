import { expect, test } from 'vitest'
import { startManagementServer } from './management.ts'

test('serves metrics and probes of a process on a separate port', async () => {
  let isReady = true
  const registry = { contentType: 'text/plain; version=0.0.4', metrics: async () => 'capstan_things 1\n' }
  const readiness = () => ({ isReady, text: isReady ? 'Ready' : 'Leaving' })
  const management = await startManagementServer({ host: '127.0.0.1', port: 0, registry, readiness, log: undefined })
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${management?.port}${path}`)
    return [response.status, await response.text()]
  }
  expect(await get('/livez')).toEqual([200, 'Healthy'])
  expect(await get('/readyz')).toEqual([200, 'Ready'])
  expect(await get('/metrics?x=1')).toEqual([200, 'capstan_things 1\n'])
  expect((await get('/api/config'))[0]).toBe(404)
  isReady = false
  expect(await get('/readyz')).toEqual([503, 'Leaving'])
  await management?.close()
  await expect(get('/livez')).rejects.toThrow()
})

test('opens no port if none is configured', async () => {
  const registry = { contentType: 'text/plain', metrics: async () => '' }
  const options = { host: '127.0.0.1', port: undefined, registry, readiness: () => ({ isReady: true, text: '' }), log: undefined }
  expect(await startManagementServer(options)).toBeUndefined()
})
