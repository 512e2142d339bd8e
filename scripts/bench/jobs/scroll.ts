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

type Browser = Awaited<ReturnType<typeof launchBrowser>>
type Page = Awaited<ReturnType<Browser['newPage']>>

const folder = path.join(import.meta.dirname, '..', '..', '..', 'web', 'dist-web')
const teamCount = 5000
const challengeCount = 100
const rowHeight = 34
const viewport = { width: 1440, height: 900 }
const wheelEveryMs = 33
/** So far it goes before it turns back, pixels: less than both pages are long and wide. */
const reach = { down: 150_000, across: 1800 }
const rounds = 3
/** Of a second that is 60 frames long where nothing is late, and of the longest frame. */
const bar = { framesOf60: 57, longestMs: 50 }

type Movement = Readonly<{
  name: string
  /** Of one turn of the wheel, pixels. */
  across: number
  down: number
}>

const movements: readonly Movement[] = [
  { name: 'scoreboard scroll, 3,000 px/s', across: 0, down: 100 },
  { name: 'scoreboard scroll, sideways', across: 60, down: 0 },
]

type Frames = Readonly<{
  of60: number
  longestMs: number
  /** Of the page's main thread, for a frame. */
  cpuMs: number
  /** Times that the page was told of a new place. */
  scrolls: number
}>

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
async function servePages() {
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

/** As many rows as the board has, each a line of text: what a browser makes of a page that long and wide by itself. */
function barePage() {
  const row = (index: number) =>
    `<div style="position:absolute;top:${index * rowHeight}px;height:${rowHeight}px;width:4000px;contain:strict">Team ${index}</div>`
  const rows = Array.from({ length: teamCount }, (_, index) => row(index)).join('')
  return `<!doctype html><title>Bare</title><div style="overflow:auto hidden"><div role=rowgroup style="position:relative;height:${teamCount * rowHeight}px;width:4000px">${rows}</div></div>`
}

/** What scrolls sideways on both pages; the page itself scrolls down. */
const body = "[...document.querySelectorAll('[role=rowgroup]')].at(-1).parentElement"

function frameTimes(page: Page, ms: number): Promise<number[]> {
  return page.evaluate<number[]>(`new Promise((done) => {
    const times = []
    const end = performance.now() + ${ms}
    const next = (time) => {
      times.push(time)
      if (performance.now() < end) requestAnimationFrame(next)
      else done(times)
    }
    requestAnimationFrame(next)
  })`)
}

type Scrolled = Readonly<{
  page: Page
  /** CPU of the main thread since the page was opened, milliseconds. */
  cpuMs(): Promise<number>
}>

/** Turns the wheel over the rows for so long and tells how the frames of the page came. */
async function scroll({ page, cpuMs }: Scrolled, { across, down }: Movement, seconds: number): Promise<Frames> {
  await page.bringToFront()
  await page.evaluate(
    `scrollTo(0, 0), ${body}.scrollTo(0, 0), (scrolls = 0), (onscroll = ${body}.onscroll = () => { scrolls += 1 }), undefined`,
  )
  await page.mouse.move(viewport.width / 2, viewport.height - 150)
  const turnsOneWay = Math.floor(down > 0 ? reach.down / down : reach.across / across)
  const before = await cpuMs()
  const recorded = frameTimes(page, seconds * 1000)
  const turns: Promise<void>[] = []
  for (let turn = 0; turn < (seconds * 1000) / wheelEveryMs; turn += 1) {
    const direction = Math.floor(turn / turnsOneWay) % 2 === 0 ? 1 : -1
    turns.push(page.mouse.wheel(across * direction, down * direction))
    await wait(wheelEveryMs)
  }
  const times = await recorded
  const spent = (await cpuMs()) - before
  await Promise.all(turns)
  const scrolls = await page.evaluate<number>('scrolls')
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? time))
  const lastedMs = (times.at(-1) ?? 0) - (times[0] ?? 0)
  return { of60: (gaps.length / lastedMs) * 1000, longestMs: Math.max(...gaps), cpuMs: spent / gaps.length, scrolls }
}

async function watched(page: Page): Promise<Scrolled> {
  const session = await page.context().newCDPSession(page)
  // Time of the thread itself: what others do to the machine is not in it.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return {
    page,
    async cpuMs() {
      const { metrics } = await session.send('Performance.getMetrics')
      return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000
    },
  }
}

async function openPages(bench: Bench) {
  const pages = await servePages()
  bench.onClose(pages.stop)
  const browser = await launchBrowser()
  bench.onClose(() => browser.close())
  const context = await browser.newContext({ viewport })
  const ours = await context.newPage()
  await ours.goto(`${pages.address}/games/1/scoreboard`)
  await ours.getByRole('rowheader').first().waitFor()
  const bare = await context.newPage()
  await bare.setContent(barePage())
  return { ours: await watched(ours), bare: await watched(bare) }
}

function describeFrames(of60: number, longestMs: number) {
  return `${of60.toFixed(1)} of 60 frames, longest ${milliseconds(longestMs)}`
}

/** A board of 5,000 teams and 100 challenges scrolls as a page of plain rows does. */
export const scrollJob: Job = {
  name: 'scoreboard-scroll',
  about: `scrolling a board of ${teamCount} teams and ${challengeCount} challenges in Chromium, beside a page of plain rows`,
  shareSeconds: 45,
  place: 70,
  async run(bench) {
    if (!findChromium()) return skipped('scoreboard scroll', 'no Chromium found; CHROMIUM_PATH names one')
    const { ours, bare } = await openPages(bench)
    const rows: Row[] = []
    const faults: string[] = []
    for (const movement of movements) {
      const { name } = movement
      const comparison = await alternate(
        rounds,
        () => scroll(ours, movement, bench.seconds),
        () => scroll(bare, movement, bench.seconds),
      )
      if ([...comparison.ours, ...comparison.limit].some(({ scrolls }) => scrolls <= 1)) faults.push(`${name}: nothing moved`)
      const frames = summarise(comparison, ({ of60 }) => of60)
      const longest = summarise(comparison, ({ longestMs }) => longestMs)
      const cpu = summarise(comparison, ({ cpuMs }) => cpuMs)
      rows.push(
        {
          job: name,
          ours: describeFrames(frames.ours, longest.ours),
          limit: describeFrames(frames.limit, longest.limit),
          ratio: frames.ratio,
          bar: `>= ${bar.framesOf60}, <= ${bar.longestMs} ms`,
          isMet: frames.ours >= bar.framesOf60 && longest.ours <= bar.longestMs,
        },
        { job: `${name}, CPU a frame`, ours: milliseconds(cpu.ours), limit: milliseconds(cpu.limit), ratio: cpu.ratio },
      )
    }
    return { rows, faults }
  },
}
