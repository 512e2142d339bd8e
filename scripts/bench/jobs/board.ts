import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { GameDetail } from '@capstan/contract/games'
import { pagesPlugin } from '@capstan/pages/pages'
import Fastify from 'fastify'
import { findChromium, launchBrowser } from '../../../e2e/support/browser.ts'
import type { Bench, Job } from '../bench.ts'
import { bigBoard } from '../big-board.ts'
import { milliseconds, type Row, skipped } from '../report.ts'
import { alternate, summarise } from '../rounds.ts'
import { quantile } from '../statistics.ts'

type Browser = Awaited<ReturnType<typeof launchBrowser>>
type Page = Awaited<ReturnType<Browser['newPage']>>

const folder = path.join(import.meta.dirname, '..', '..', '..', 'web', 'dist-web')
const teamCount = 5000
const challengeCount = 100
const rowHeight = 42
const viewport = { width: 1440, height: 900 }
const wheelEveryMs = 33
/** So far it goes before it turns back, pixels: less than both pages are long and wide. */
const reach = { down: 150_000, across: 1800 }

interface Movement {
  readonly name: string
  /** Of one turn of the wheel, pixels. */
  readonly across: number
  readonly down: number
  readonly leastRatio: number
}

const movements: readonly Movement[] = [
  { name: 'board, 3,600 px/s', across: 0, down: 120, leastRatio: 0.95 },
  { name: 'board, 10,800 px/s', across: 0, down: 360, leastRatio: 0.9 },
  { name: 'board, sideways', across: 60, down: 0, leastRatio: 0.95 },
]

interface Frames {
  readonly perSecond: number
  readonly p95Ms: number
  /** Times that the page was told of a new place. */
  readonly scrolls: number
}

const game: GameDetail = {
  id: 1,
  title: 'Measured',
  summary: '',
  content: '',
  hidden: false,
  organizations: null,
  inviteCodeRequired: false,
  writeupRequired: false,
  poster: null,
  limit: 0,
  teamCount,
  organization: null,
  teamName: null,
  practiceMode: true,
  status: 'Unsubmitted',
  start: '2026-05-01T10:00:00Z',
  end: '2026-05-03T10:00:00Z',
}

/** The built pages, with the few calls that a visitor's scoreboard makes. */
const servePages = async () => {
  const app = Fastify()
  // Ready bytes that are sent once and unchanged from then on, as the api does it.
  const board = Buffer.from(JSON.stringify(bigBoard(teamCount, challengeCount)))
  await app.register(pagesPlugin, { folder, readSettings: async () => ({ title: 'Measured', description: '' }) })
  app.get('/api/game/1', () => game)
  app.get('/api/game/1/scoreboard', (request, reply) => {
    reply.header('etag', '"board"').header('cache-control', 'no-cache').type('application/json')
    return request.headers['if-none-match'] ? reply.status(304).send() : reply.send(board)
  })
  app.setNotFoundHandler(
    async (request, reply) =>
      (await app.answerIndexPage(request, reply)) ??
      reply.status(404).send({ title: 'There is nothing at this address', status: 404 }),
  )
  return { address: await app.listen({ host: '127.0.0.1', port: 0 }), stop: () => app.close() }
}

/** As many rows as the board has, each a line of text: what a browser makes of a list that long by itself. */
const barePage = () => {
  const row = (index: number) =>
    `<div style="position:absolute;top:${index * rowHeight}px;height:${rowHeight}px;width:4000px;contain:strict">Team ${index}</div>`
  const rows = Array.from({ length: teamCount }, (_, index) => row(index)).join('')
  return `<!doctype html><title>Bare</title><div role=table aria-colcount=1 style="overflow:auto;height:760px"><div style="position:relative;height:${teamCount * rowHeight}px;width:4000px">${rows}</div></div>`
}

/** The one that scrolls, on both pages. */
const tableSelector = '[role=table][aria-colcount]'
const table = `document.querySelector('${tableSelector}')`

const frameTimes = (page: Page, ms: number): Promise<number[]> =>
  page.evaluate<number[]>(`new Promise((done) => {
    const times = []
    const end = performance.now() + ${ms}
    const next = (time) => {
      times.push(time)
      if (performance.now() < end) requestAnimationFrame(next)
      else done(times)
    }
    requestAnimationFrame(next)
  })`)

/** Turns the wheel over the table for so long and tells how its frames came. */
const scroll = async (page: Page, { across, down }: Movement, seconds: number): Promise<Frames> => {
  await page.bringToFront()
  await page.evaluate(`${table}.scrollTo(0, 0), (scrolls = 0), (${table}.onscroll = () => { scrolls += 1 }), undefined`)
  const box = await page.locator(tableSelector).boundingBox()
  await page.mouse.move((box?.x ?? 0) + 60, (box?.y ?? 0) + 400)
  const turnsOneWay = Math.floor(down > 0 ? reach.down / down : reach.across / across)
  const recorded = frameTimes(page, seconds * 1000)
  const turns: Promise<void>[] = []
  for (let turn = 0; turn < (seconds * 1000) / wheelEveryMs; turn += 1) {
    const direction = Math.floor(turn / turnsOneWay) % 2 === 0 ? 1 : -1
    turns.push(page.mouse.wheel(across * direction, down * direction))
    await wait(wheelEveryMs)
  }
  const times = await recorded
  await Promise.all(turns)
  const scrolls = await page.evaluate<number>('scrolls')
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? time))
  const lastedMs = (times.at(-1) ?? 0) - (times[0] ?? 0)
  return {
    perSecond: (gaps.length / lastedMs) * 1000,
    p95Ms: quantile(gaps, 0.95),
    scrolls,
  }
}

const openPages = async (bench: Bench) => {
  const pages = await servePages()
  bench.onClose(pages.stop)
  const browser = await launchBrowser()
  bench.onClose(() => browser.close())
  const context = await browser.newContext({ viewport })
  const ours = await context.newPage()
  await ours.goto(`${pages.address}/games/1/scoreboard`)
  await ours.locator(tableSelector).getByRole('rowheader').first().waitFor()
  await ours.evaluate(`${table}.scrollIntoView({ block: 'end' })`)
  const bare = await context.newPage()
  await bare.setContent(barePage())
  return { ours, bare }
}

const describeFrames = (perSecond: number, p95Ms: number) => `${perSecond.toFixed(1)} fps, p95 ${milliseconds(p95Ms)}`

/** Issue: a board of 5,000 teams and 100 challenges scrolls as a page of plain rows does. */
export const boardJob: Job = {
  name: 'board',
  about: `scrolling a board of ${teamCount} teams and ${challengeCount} challenges in Chromium, beside a page of plain rows`,
  shareSeconds: 75,
  place: 70,
  async run(bench) {
    if (!findChromium()) return skipped('board', 'no Chromium found; CHROMIUM_PATH names one')
    const { ours, bare } = await openPages(bench)
    const rows: Row[] = []
    const faults: string[] = []
    for (const movement of movements) {
      const { name, leastRatio } = movement
      const comparison = await alternate(
        bench.rounds,
        () => scroll(ours, movement, bench.seconds),
        () => scroll(bare, movement, bench.seconds),
      )
      if ([...comparison.ours, ...comparison.limit].some(({ scrolls }) => scrolls <= 1)) faults.push(`${name}: nothing moved`)
      const frames = summarise(comparison, ({ perSecond }) => perSecond)
      const p95 = summarise(comparison, ({ p95Ms }) => p95Ms)
      rows.push({
        job: name,
        ours: describeFrames(frames.ours, p95.ours),
        limit: describeFrames(frames.limit, p95.limit),
        ratio: frames.ratio,
        bar: `>= ${leastRatio}`,
        isMet: frames.ratio >= leastRatio,
      })
    }
    return { rows, faults }
  },
}
