import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type DemoProgram, startDemoProgram } from '../support/demo-program.ts'
import { Conversation } from './conversation.ts'
import { findShortestCourse } from './fog-channel/solve.ts'
import { getManifest, hasContainer, hasSeveralContainers, listManifests } from './manifest.ts'
import { createSolveContext, loadSolver } from './solve-context.ts'

const containers = listManifests().filter(hasContainer)
const several = listManifests().filter(hasSeveralContainers)
const flag = 'flag{still_afloat_0a1b2c3d4e5f}'

async function start(slug: string): Promise<DemoProgram> {
  const manifest = getManifest(slug)
  if (!hasContainer(manifest)) throw new Error(`'${slug}' has no container`)
  return startDemoProgram(manifest, { flag, teamId: '4' })
}

/** Sends bytes, and waits until the program or the test closes the connection. */
async function throwAt(program: DemoProgram, bytes: Uint8Array): Promise<void> {
  const connection = await program.connect()
  connection.on('error', () => connection.destroy())
  connection.resume()
  const closed = new Promise((resolve) => connection.once('close', resolve))
  connection.end(bytes)
  await closed
}

describe('container programs under attack', () => {
  it.each([...containers, ...several])(
    '$slug can still be solved after it received garbage and while 100 connections are idle',
    async (manifest) => {
      await using program = await startDemoProgram(manifest, { flag, teamId: '4' })
      const garbage = [
        randomBytes(200_000),
        Buffer.alloc(200_000, '\n'),
        Buffer.alloc(200_000, 'A'),
        Buffer.from('seal\0\ncast -1\nseal 0\nquit\n'),
        Buffer.from('GET  HTTP/9\r\n\r\n'),
        Buffer.alloc(0),
      ]
      for (const bytes of garbage) await throwAt(program, bytes)
      const idle = await Promise.all(Array.from({ length: 100 }, () => program.connect()))
      try {
        const solve = await loadSolver(manifest.slug)
        expect(await solve(createSolveContext({ description: '', connect: program.connect }))).toMatch(/^flag\{.+\}$/)
      } finally {
        for (const connection of idle) connection.destroy()
      }
    },
  )

  it.skipIf(process.platform !== 'linux').each(containers)('$slug stays below its memory limit', async (manifest) => {
    await using program = await startDemoProgram(manifest, { flag, teamId: '4' })
    const solve = await loadSolver(manifest.slug)
    await solve(createSolveContext({ description: '', connect: program.connect }))
    const [, peakKb] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${program.pid}/status`, 'utf8'))!
    expect(Number(peakKb) / 1024).toBeLessThan(manifest.memoryMb)
  })

  it('the demo challenge "harbour seal" closes a connection after 500 lines', async () => {
    await using program = await start('harbour-seal')
    const office = new Conversation(await program.connect())
    for (let line = 0; line < 600; line++) office.say('order')
    let answers = 0
    const count = async (): Promise<never> => {
      for (;;) {
        await office.hear(/m = [0-9a-f]+\n/)
        answers += 1
      }
    }
    await expect(count()).rejects.toThrow('the service hung up')
    expect(answers).toBe(500)
  })
})

describe('the demo challenge "harbour-seal"', () => {
  it('the harbour office refuses to sign the order whose signature players must forge', async () => {
    await using program = await start('harbour-seal')
    const office = new Conversation(await program.connect())
    office.say('order')
    const order = (await office.hear(/m = ([0-9a-f]+)\n/))[1]!
    office.say(`seal ${order}`)
    await office.hear(/The clerk shakes his head/)
    office.say(`seal 0x${order}`)
    await office.hear(/The clerk shakes his head/)
    office.say('cast 2')
    await office.hear(/The seal does not fit/)
    office.close()
  })
})

describe('the demo challenge "fog-channel"', () => {
  it('the pilot boat rejects a course over rock', async () => {
    await using program = await start('fog-channel')
    const pilot = new Conversation(await program.connect())
    await pilot.hear(/COURSE> /)
    pilot.say('N')
    await pilot.hear(/Aground at row 1, column 2\./)
  })

  it('the pilot boat rejects a course that is longer than the shortest course', async () => {
    await using program = await start('fog-channel')
    const pilot = new Conversation(await program.connect())
    const [, chart] = await pilot.hear(/CHART 1 of 6\n([#.SE\n]+)COURSE> /)
    const course = findShortestCourse(chart!.trim().split('\n'))
    const detour = { N: 'NS', E: 'EW', S: 'SN', W: 'WE' }[course[0]!]
    pilot.say(detour + course)
    await pilot.hear(/Out of coal: there is a shorter course\./)
  })

  it('the pilot boat requires a course that ends at the exit', async () => {
    await using program = await start('fog-channel')
    const pilot = new Conversation(await program.connect())
    const [, chart] = await pilot.hear(/CHART 1 of 6\n([#.SE\n]+)COURSE> /)
    pilot.say(findShortestCourse(chart!.trim().split('\n')).slice(0, -1))
    await pilot.hear(/The course ends in the fog\./)
  })
})

describe('the demo challenge "chandlery"', () => {
  const shop = async (program: DemoProgram, path: string, method = 'GET') =>
    createSolveContext({ description: '', connect: program.connect }).fetch(path, { method })
  const search = (program: DemoProgram, text: string) => shop(program, `/?q=${encodeURIComponent(text)}`)

  it('the shop finds goods by name, but shows no rows of the table with the flag', async () => {
    await using program = await start('chandlery')
    const all = (await shop(program, '/')).text()
    expect(all).toContain('Storm lantern')
    expect(all).not.toContain('flag{')
    const found = (await search(program, 'lantern')).text()
    expect(found).toContain('Storm lantern')
    expect(found).not.toContain('Ship biscuit')
    expect((await shop(program, '/goods/3')).text()).toContain('Storm lantern')
    expect((await shop(program, '/goods/999')).status).toBe(404)
    expect((await shop(program, '/', 'POST')).status).toBe(405)
  })

  it('the shop reports a database error if the search text is a single quote', async () => {
    await using program = await start('chandlery')
    const response = await search(program, "'")
    expect(response.status).toBe(500)
    expect(response.text()).toContain('The clerk frowns at the ledger')
  })

  it.each([
    ["' UNION WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, i, i, i FROM n -- "],
    ["' AND zeroblob(1000000000) -- "],
    [`${"'".padEnd(300, 'a')}`],
  ])('rejects a long search text, and an SQL injection that needs too much time or memory: %j', async (text) => {
    await using program = await start('chandlery')
    // If the search hangs, the timeout of the test ends it.
    expect((await search(program, text)).status).toBeGreaterThanOrEqual(400)
  })
})
