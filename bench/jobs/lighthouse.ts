import { execFile } from 'node:child_process'
import process from 'node:process'
import { promisify } from 'node:util'
import { browserFlags, findChromium } from '../../e2e/support/browser.ts'
import type { Job } from '../bench.ts'
import { count, createRowWithMinimum, createSkippedRow, type Row } from '../table.ts'

/**
 * Lighthouse is not a dependency of the repository, because only this job needs its 200 packages. npm downloads it when the job
 * runs.
 */
const lighthouse = 'lighthouse@12'
const minScore = { mobile: 90, desktop: 98 }

async function runLighthouse(args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('npm', ['exec', '--yes', '--package', lighthouse, '--', 'lighthouse', ...args], {
    env: { ...process.env, CHROME_PATH: findChromium() },
    maxBuffer: 50 * 1024 * 1024,
    timeout: 90_000,
  })
  return stdout
}

/** Loads a page with an empty cache. @returns the score that Lighthouse computes for a simulated device */
async function judge(address: string, device: 'mobile' | 'desktop', cookie: string): Promise<number> {
  const form = device === 'mobile' ? '--form-factor=mobile' : '--preset=desktop'
  const flags = [`--chrome-flags=--headless=new ${browserFlags.join(' ')}`, `--extra-headers=${JSON.stringify({ cookie })}`]
  const report = await runLighthouse([address, '--quiet', '--output=json', '--only-categories=performance', form, ...flags])
  const { categories } = JSON.parse(report) as { categories: { performance: { score: number | null } } }
  return Math.round((categories.performance.score ?? 0) * 100)
}

export const job: Job = {
  name: 'lighthouse',
  about: 'the pages of most visits, as Lighthouse judges them for phones and desktops',
  async run(bench) {
    if (!findChromium()) return [createSkippedRow('lighthouse', 'there is no Chromium; CHROMIUM_PATH names one')]
    const version = await runLighthouse(['--version']).catch(() => undefined)
    if (version === undefined) return [createSkippedRow('lighthouse', `npm cannot install ${lighthouse}`)]
    const { gameId, cookieOf } = await bench.addGame()
    const web = await bench.startWeb(await bench.api())
    const game = `/games/${gameId}`
    const pages = { home: '/', games: '/games', challenges: `${game}/challenges`, scoreboard: `${game}/scoreboard` }
    const rows: Row[] = []
    for (const device of ['mobile', 'desktop'] as const) {
      for (const [page, path] of Object.entries(pages)) {
        const score = await judge(`http://127.0.0.1:${web.port}${path}`, device, cookieOf(0))
        rows.push(createRowWithMinimum(`Lighthouse ${device}, ${page}`, score, minScore[device], count))
      }
    }
    await web.stop()
    return rows
  },
}
