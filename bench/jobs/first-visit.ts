import { ask, type Job, measure } from '../bench.ts'
import { browserHeaders, faultsOf, type LoadRequest } from '../load.ts'
import { quantile, sum } from '../statistics.ts'
import { atMost, fineMilliseconds, kilobytes, milliseconds } from '../table.ts'

const visitors = 1_000
const maxSeconds = 60
const maxCpuMs = 60
/** Connections of 20 browsers. */
const clients = 120
/** Calls of the home page. */
const calls = ['/api/account/session', '/api/game', '/api/posts/latest']
export const firstVisitJob: Job = {
  name: 'first-visit',
  about: '1,000 visitors with an empty cache: the home page with its files and calls, through the web process',
  async run(bench) {
    const web = await bench.startWeb(await bench.api())
    // The page names all files of its route.
    const { text } = await ask(web, '/', { 'accept-encoding': 'identity' })
    const files = [...new Set(text.match(/\/static\/[\w.-]+(?=")/g))]
    const answers = await Promise.all(files.map((file) => ask(web, file)))
    const isCached = (index: number) => {
      const { 'content-encoding': encoding, 'cache-control': control = '' } = answers[index]?.headers ?? {}
      return control.includes('immutable') && (encoding !== undefined || !/\.(?:js|css)$/.test(files[index] ?? ''))
    }
    const addresses = ['/', ...files, ...calls]
    const requests = addresses.map((address): LoadRequest => ({ path: address, headers: browserHeaders }))
    const report = await measure(web, { clients, requests, amount: visitors * requests.length })
    await web.stop()
    return {
      rows: [
        atMost('1,000 first visits', report.elapsedMs, maxSeconds * 1000, milliseconds),
        atMost('first visit, CPU of the web process', report.cpuMs / visitors, maxCpuMs, fineMilliseconds),
      ],
      notes: [
        `first-visit: ${addresses.length} requests, ${kilobytes(sum(answers.map(({ bytes }) => bytes.length)))} of files; p99 of an answer ${milliseconds(quantile(report.latenciesMs, 0.99))}.`,
      ],
      faults: [
        ...faultsOf('first-visit', [report]),
        ...(files.length === 0 ? ['first-visit: the page names no files'] : []),
        ...files.filter((_, index) => !isCached(index)).map((file) => `first-visit: ${file} is not compressed or not immutable`),
      ],
    }
  },
}
