import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test('no process loads the trace exporter if no endpoint is set', async () => {
  const programme = `
    import { createRequire } from 'node:module'
    import { openTracer } from '@capstan/tracing/open-tracer'
    for (const part of ['api/app', 'gateway/gateway', 'pages/app', 'operator/operator']) await import('@capstan/' + part)
    const loaded = () => Object.keys(createRequire(import.meta.url).cache).some((file) => file.includes('@opentelemetry/sdk-trace'))
    await openTracer('capstan', undefined)
    const before = loaded()
    await openTracer('capstan', { endpoint: 'http://127.0.0.1:9', sampleRatio: 1 })
    console.log(JSON.stringify([before, loaded()]))
    process.exit()`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', programme])
  expect(JSON.parse(stdout)).toEqual([false, true])
})
