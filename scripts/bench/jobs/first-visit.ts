import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Job } from '../bench.ts'
import type { LoadRequest } from '../load/order.ts'
import { withCpu } from '../process-usage.ts'
import { atMost, fineMilliseconds, milliseconds } from '../report.ts'
import { startWebProcess, webFolder } from '../web-process.ts'
import { browserHeaders, captureAnswer, faultsOf } from './http.ts'

const visitors = 1_000
const mostSeconds = 60
/** Of one browser. */
const connections = 6
const atOnce = 20

/** What the home page of a visitor asks the api. */
const calls = ['/api/account/session', '/api/game', '/api/posts/latest']

function importsOf(code: string): string[] {
  return [...code.matchAll(/(?:from|import)\s?["']\.\/([\w.-]+\.js)["']/g)].flatMap(([, name]) =>
    name === undefined ? [] : [name],
  )
}

/** Files of the home page: those that the index page names, its script's own piece for this page, and what they import. */
async function filesOfHome(indexPage: string): Promise<string[]> {
  const named = [...indexPage.matchAll(/(?:src|href)="(\/static\/[\w.-]+)"/g)].flatMap(([, file]) => file ?? [])
  const home = (await readdir(path.join(webFolder, 'static'))).filter((name) => /^home-[\w-]+\.(?:js|css)$/.test(name))
  const files = new Set([...named, ...home.map((name) => `/static/${name}`)])
  for (const file of files) {
    if (!file.endsWith('.js')) continue
    for (const name of importsOf(await readFile(path.join(webFolder, file), 'utf8'))) files.add(`/static/${name}`)
  }
  return [...files]
}

const names = { all: '1,000 first visits', cpu: 'first visit, CPU of the web process' }

/** Everybody comes for the first time: page, files and calls of the home page, all with an empty cache. */
export const firstVisitJob: Job = {
  name: 'first-visit',
  about: '1,000 visitors with an empty cache: the home page with its files and calls, through the web process',
  shareSeconds: 15,
  bars: { [names.all]: atMost(mostSeconds * 1000, milliseconds), [names.cpu]: atMost(mostSeconds, fineMilliseconds) },
  async run(bench) {
    const api = await bench.api()
    const pages = await startWebProcess(bench, api)
    const files = await filesOfHome(await readFile(path.join(webFolder, 'index.html'), 'utf8'))
    const answers = await Promise.all(files.map((file) => captureAnswer(pages.port, file)))
    const unready = files.filter((file, index) => {
      const headers = answers[index]?.headers ?? {}
      const isPacked = !/\.(?:js|css)$/.test(file) || headers['content-encoding'] !== undefined
      return !isPacked || (file.startsWith('/static/') && !headers['cache-control']?.includes('immutable'))
    })
    const requests: LoadRequest[] = ['/', ...files, ...calls].map((address) => ({
      method: 'GET',
      path: address,
      headers: browserHeaders,
    }))
    const report = await withCpu(pages.pid, () =>
      bench.load({
        port: pages.port,
        clients: connections * atOnce,
        seconds: mostSeconds,
        most: visitors * requests.length,
        requests,
        keepsBodies: false,
      }),
    )
    const bytes = answers.reduce((sum, answer) => sum + answer.bytes.length, 0)
    await pages.stop()
    return {
      figures: { [names.all]: { value: report.lastedMs }, [names.cpu]: { value: report.cpuMs / visitors } },
      notes: [
        `first-visit: ${files.length + 1} files (${(bytes / 1000).toFixed(0)} kB without the page) and ${calls.length} calls a visit; ${((visitors / report.lastedMs) * 1000).toFixed(0)} visits a second, an answer within ${milliseconds(report.p50Ms)} (p99 ${milliseconds(report.p99Ms)}).`,
      ],
      faults: [
        ...faultsOf('first-visit', [report]),
        ...unready.map((file) => `first-visit: ${file} is not compressed ahead and kept for good`),
        ...(report.answered === visitors * requests.length ? [] : [`first-visit: only ${report.answered} answers came`]),
      ],
    }
  },
}
