import { readdirSync, readFileSync } from 'node:fs'
import { Limits } from '@capstan/contract/limits'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { createImageConverter } from './images.ts'
import { createHostilePictures } from './testing/hostile-pictures.ts'

const megabyte = 1024 * 1024
let context: TestApp
// A lower time limit than in production makes the test faster and has the same effect.
const images = createImageConverter({ log: { warn: () => {} }, maxCpuSeconds: 2 })
beforeAll(async () => {
  context = await startTestApp({ deps: { images } })
})
afterAll(async () => {
  await context.close()
  await images.close()
})

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Returns the memory of the decoder process in bytes. @returns undefined if it is not running or the system does not report it */
function readDecoderBytes(): number | undefined {
  if (process.platform !== 'linux') return undefined
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const status = read(`/proc/${pid}/status`)
    if (!status.includes(`PPid:\t${process.pid}\n`) || !read(`/proc/${pid}/cmdline`).includes('decode.mjs')) continue
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024
  }
  return undefined
}

/**
 * Samples the memory of this process and of the decoder.
 * @returns a function that stops the sampling and returns the maximum values
 */
function watchMemory() {
  const before = process.memoryUsage.rss()
  let [grownBytes, decoderBytes] = [0, 0]
  const timer = setInterval(() => {
    grownBytes = Math.max(grownBytes, process.memoryUsage.rss() - before)
    decoderBytes = Math.max(decoderBytes, readDecoderBytes() ?? 0)
  }, 10)
  return () => {
    clearInterval(timer)
    return { grownBytes, decoderBytes }
  }
}

describe('concurrent uploads of pictures that need too many resources', () => {
  test.each(['as avatars of one user', 'as avatars of twenty users'])(
    'twenty hostile pictures are refused %s, other calls are answered, and the memory of the api does not grow',
    async (how) => {
      const pictures = (await createHostilePictures()).slice(0, 20)
      const first = await signInAsNewUser(context)
      const users = await Promise.all(pictures.map(() => (how.endsWith('twenty users') ? signInAsNewUser(context) : first)))
      const stop = watchMemory()
      let isOver = false
      const uploads = Promise.all(
        pictures.map(async ([, content], index) => {
          const response = await users[index]!.client.upload('PUT', '/api/account/avatar', [{ name: 'a.png', content }])
          return [response.statusCode, response.json().code] as const
        }),
      ).finally(() => {
        isOver = true
      })
      let answered = 0
      for (; !isOver; answered += 1) expect((await first.client.get('/api/account/profile')).statusCode).toBe(200)
      const { grownBytes, decoderBytes } = stop()
      for (const [status, code] of await uploads)
        expect(`${status} ${code}`).toMatch(/^(400 file\.(too-large|unreadable)|429 request\.rate-limited)$/)
      expect(answered).toBeGreaterThan(0)
      expect(grownBytes).toBeLessThan(100 * megabyte)
      expect(decoderBytes).toBeLessThan(Limits.maxPictureProcessBytes + 32 * megabyte)
    },
  )

  test('refused pictures leave no files behind, and the next picture is accepted', async () => {
    const { client } = await signInAsNewUser(context)
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
      'base64',
    )
    const response = await client.upload('PUT', '/api/account/avatar', [{ name: 'a.png', content: png }])
    expect([response.statusCode, context.blobs.contents.size]).toEqual([200, 1])
  })
})
