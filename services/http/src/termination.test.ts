import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'

test('the first signal ends the wait for termination, and the second signal runs the exit handlers and ends the process', async () => {
  const script = `
    import { waitForTermination } from ${JSON.stringify(new URL('./termination.ts', import.meta.url).href)}
    setInterval(() => {}, 1000)
    process.on('exit', () => process.stdout.write('cleared up'))
    const asked = waitForTermination()
    process.stdout.write('up ')
    process.stdout.write('asked by ' + await asked + ' ')
  `
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  const closed = once(child, 'close')
  await expect.poll(() => output).toContain('up ')
  child.kill('SIGTERM')
  await expect.poll(() => output).toContain('asked by SIGTERM ')
  child.kill('SIGTERM')
  expect(await closed).toEqual([143, null])
  expect(output).toBe('up asked by SIGTERM cleared up')
})
