import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDecoder, type DecoderOptions } from './decoder.ts'

let folder: string
let serial = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'capstan-decoder-'))
})
afterAll(() => rm(folder, { recursive: true }))

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const ready = 'process.stdout.write(Buffer.alloc(5).fill(1, 0, 1));'
function onTask(code: string) {
  return `${ready} process.stdin.once('data', () => { ${code} })`
}
function answer(status: number, text: string) {
  return `
  const head = Buffer.alloc(5); head[0] = ${status}; head.writeUInt32LE(Buffer.byteLength(${text}), 1);
  process.stdout.write(Buffer.concat([head, Buffer.from(${text})]));`
}

/** Decodes a picture. The decoder runs `code` instead of the real program. */
async function decodeWith(code: string, options: DecoderOptions = {}) {
  serial += 1
  const program = join(folder, `${serial}.mjs`)
  await writeFile(program, code)
  const decoder = createDecoder({ program, ...options })
  try {
    return (await decoder.ask({ task: 'convert', picture: Buffer.from('picture') })).toString()
  } catch (error) {
    return (error as { failure?: string }).failure ?? error
  } finally {
    await decoder.close()
  }
}

describe('the decoder process of the picture decoder', () => {
  test("the decoder process gets none of the api's environment variables", async () => {
    const environment = await decodeWith(onTask(answer(1, 'JSON.stringify(process.env)')))
    expect(
      Object.keys(JSON.parse(String(environment))).filter((name) => !name.startsWith('MALLOC_') && !name.startsWith('__')),
    ).toEqual([])
  })

  test.each([
    ['breaks', 'process.abort()', 'broken'],
    ['ends itself because it exceeds its limits', "process.kill(process.pid, 'SIGKILL')", 'exhausting'],
    ['refuses the picture', answer(0, "''"), 'broken'],
    ['answers with an unknown status', answer(7, "'x'"), 'broken'],
    ['answers more than it announced', 'process.stdout.write(Buffer.from([1, 1, 0, 0, 0, 120, 120]))', 'broken'],
    ['announces more than the maximum', 'process.stdout.write(Buffer.alloc(5, 255))', 'exhausting'],
    ['never answers', '', 'exhausting'],
  ])('only one picture is affected if the decoder process %s', async (_what, code, failure) => {
    // The decoder that never answers has a short time limit, so that the test is fast. All other decoders have a time limit that
    // they do not reach.
    const taskTimeoutMs = code === '' ? 2_000 : 20_000
    expect(await decodeWith(onTask(`${code};setInterval(() => {}, 1000)`), { taskTimeoutMs })).toBe(failure)
  })

  test.each([
    ['ends at once', 'process.exit(1)'],
    ['is not a valid program', '}'],
    ['reports something other than readiness', "process.stdout.write('hello')"],
  ])('the decoder is unavailable if its process %s', async (_what, code) => {
    expect(await decodeWith(code)).toBe('unavailable')
  })

  test('the decoder process restarts after a crash', async () => {
    const program = join(folder, 'sometimes.mjs')
    await writeFile(
      program,
      `${ready} process.stdin.on('data', (data) => { if (data.includes('bad')) process.abort(); if (data.includes('good')) { ${answer(1, 'String(process.pid)')} } })`,
    )
    const decoder = createDecoder({ program })
    const ask = (text: string) =>
      decoder.ask({ task: 'convert', picture: Buffer.from(text) }).then(String, (error) => error.failure)
    const [first, second, broken, third] = [await ask('good'), await ask('good'), await ask('bad'), await ask('good')]
    expect([second, broken]).toEqual([first, 'broken'])
    expect(third).toMatch(/^\d+$/)
    expect(third).not.toBe(first)
    await decoder.close()
  })

  test('the decoder process ends when it is idle', async () => {
    const program = join(folder, 'idle.mjs')
    await writeFile(
      program,
      `${ready} process.stdin.on('data', (data) => { if (data.includes('picture')) { ${answer(1, 'String(process.pid)')} } })`,
    )
    const decoder = createDecoder({ program, idleMs: 20 })
    const ask = async () => Number(await decoder.ask({ task: 'convert', picture: Buffer.from('picture') }))
    const pid = await ask()
    await expect.poll(() => isRunning(pid)).toBe(false)
    expect(await ask()).not.toBe(pid)
    await decoder.close()
  })

  test('the decoder process ends when the api ends, even if the api was killed', async () => {
    const [pidFile, program, api] = ['pid', 'decode.mjs', 'api.mjs'].map((name) => join(folder, name)) as [string, string, string]
    const urlOf = (file: string) => JSON.stringify(new URL(file, import.meta.url).href)
    await writeFile(
      program,
      `import { writeFileSync } from 'node:fs'
       writeFileSync(${JSON.stringify(pidFile)}, String(process.pid))
       await import(${urlOf('./decode.mjs')})`,
    )
    await writeFile(
      api,
      `import { createDecoder } from ${urlOf('./decoder.ts')}
       const decoder = createDecoder({ program: ${JSON.stringify(program)} })
       await decoder.ask({ task: 'inspect', picture: Buffer.from('none') }).catch(() => {})
       console.log('asked')`,
    )
    const parent = spawn(process.execPath, [api], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(parent.stdout, 'data')
    const pid = Number(await readFile(pidFile, 'utf8'))
    expect(isRunning(pid)).toBe(true)
    parent.kill('SIGKILL')
    await expect.poll(() => isRunning(pid)).toBe(false)
  })

  test('the decoder process ends at once when the decoder is closed, and does not restart', async () => {
    const decoder = createDecoder()
    const asked = decoder.ask({ task: 'inspect', picture: Buffer.alloc(10) })
    asked.catch(() => {})
    await decoder.close()
    await expect(asked).rejects.toMatchObject({ failure: 'unavailable' })
    await expect(decoder.ask({ task: 'inspect', picture: Buffer.alloc(10) })).rejects.toMatchObject({ failure: 'unavailable' })
  })
})
