import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { browserFlags, findChromium } from '../../../e2e/support/browser.ts'
import type { Job } from '../bench.ts'
import { atLeast, count, skipped } from '../report.ts'
import { median } from '../statistics.ts'
import { startWebProcess } from '../web-process.ts'

/** Asked for from npm when this is measured: two hundred packages that nothing else needs. */
const tool = 'lighthouse@12'
const leastScore = 90
/** Of each page; the board's vary more. */
const runs = { home: 1, board: 3 }
/** Its report is that large, with pictures. */
const maxReportBytes = 50 * 1024 * 1024
const timeoutMs = 90_000

const names = { home: 'Lighthouse mobile, home', board: 'Lighthouse mobile, scoreboard' }

type Report = Readonly<{
  categories: { readonly performance: { readonly score: number | null } }
  audits: Readonly<Record<string, { readonly displayValue?: string }>>
}>

const audits = ['first-contentful-paint', 'largest-contentful-paint', 'total-blocking-time', 'cumulative-layout-shift']

/** What a phone on a slow network gets, as Lighthouse reckons it: from an empty cache, by the page's own network and work. */
async function judge(chromium: string, address: string): Promise<Report> {
  const { stdout } = await promisify(execFile)(
    'npm',
    [
      ...['exec', '--yes', '--package', tool, '--', 'lighthouse', address, '--quiet', '--output=json'],
      ...['--only-categories=performance', '--form-factor=mobile', `--chrome-flags=--headless=new ${browserFlags.join(' ')}`],
    ],
    { env: { ...process.env, CHROME_PATH: chromium }, maxBuffer: maxReportBytes, timeout: timeoutMs },
  )
  return JSON.parse(stdout) as Report
}

function scoreOf({ categories }: Report): number {
  return Math.round((categories.performance.score ?? 0) * 100)
}

/** What visitors' phones make of the two pages that most of them come to. */
export const lighthouseJob: Job = {
  name: 'lighthouse',
  about: 'the home page and a scoreboard of 500 teams and 50 challenges, as Lighthouse judges them for phones',
  shareSeconds: 60,
  bars: { [names.home]: atLeast(leastScore, count), [names.board]: atLeast(leastScore, count) },
  async run(bench) {
    const chromium = findChromium()
    if (!chromium) return skipped('lighthouse', 'there is no Chromium')
    const { world } = await bench.database()
    const web = await startWebProcess(bench, await bench.api())
    const site = `http://127.0.0.1:${web.port}`
    const judged: Record<keyof typeof names, Report[]> = { home: [], board: [] }
    try {
      while (judged.home.length < runs.home) judged.home.push(await judge(chromium, `${site}/`))
      while (judged.board.length < runs.board)
        judged.board.push(await judge(chromium, `${site}/games/${world.gameId}/scoreboard`))
    } catch (error) {
      const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
      return skipped('lighthouse', `${tool} did not run: ${reason}`)
    } finally {
      await web.stop()
    }
    const noteOf = (page: keyof typeof names) => {
      const [first] = judged[page]
      const told = audits.map((audit) => `${audit} ${first?.audits[audit]?.displayValue}`).join(', ')
      return `lighthouse, ${page}: ${judged[page].map(scoreOf).join(', ')}; ${told}.`
    }
    return {
      figures: {
        [names.home]: { value: median(judged.home.map(scoreOf)) },
        [names.board]: { value: median(judged.board.map(scoreOf)) },
      },
      notes: [noteOf('home'), noteOf('board')],
    }
  },
}
