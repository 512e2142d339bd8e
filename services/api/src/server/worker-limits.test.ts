import { execFile } from 'node:child_process'
import process from 'node:process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** Retains objects for a while, so that the young generation grows to its limit. */
const filling = `
  const { getHeapSpaceStatistics } = await import('node:v8')
  let kept = []
  for (let round = 0; round < 2_000_000; round += 1) {
    kept.push({ round, more: [round] })
    if (kept.length > 200_000) kept = []
  }
  console.log(getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size / 2 ** 20)`

const program = `
  import { Worker } from 'node:worker_threads'
  import { prepareWorkerLimits } from '${new URL('worker-limits.ts', import.meta.url)}'
  const resourceLimits = prepareWorkerLimits({ maxYoungGenerationSizeMb: 4 })
  const worker = new Worker(${JSON.stringify(`(async () => {${filling}})()`)}, { eval: true, resourceLimits })
  await new Promise((resolve) => worker.once('exit', resolve))
  ${filling}`

test('the worker and the main thread have separate heap limits', async () => {
  const flags = ['--max-semi-space-size=8', '--disable-warning=ExperimentalWarning', '--input-type=module']
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '--eval', program])
  expect(stdout.trim().split('\n').map(Number)).toEqual([4, 16])
})
