import { sendRequest } from '../ask.ts'
import type { Job } from '../bench.ts'
import { measureCpuOfLoad } from '../measure.ts'
import { sum } from '../statistics.ts'
import { createRowWithMaximum, fineMilliseconds, kilobytes, milliseconds } from '../table.ts'

const visitors = 1_000
const maxSeconds = 60
const maxCpuMs = 60
/** Total number of connections that 20 browsers open. */
const clients = 120
const calls = ['/api/account/session', '/api/game/all', '/api/posts/latest']

export const job: Job = {
  name: 'first-visit',
  about: '1,000 visitors with an empty cache: the home page with its files and calls, through the web process',
  async run(bench) {
    const web = await bench.startWeb(await bench.api())
    // The HTML page contains the names of all files that the browser needs to show the page.
    const page = await sendRequest(web, { path: '/', headers: { 'accept-encoding': 'identity' } })
    const files = [...new Set(page.text().match(/\/static\/[\w.-]+(?=")/g))]
    if (files.length === 0) throw new Error('The page names no files')
    const answers = await Promise.all(files.map((path) => sendRequest(web, { path })))
    const requests = ['/', ...files, ...calls].map((path) => ({ path }))
    const { cpuMs, perSecond } = await measureCpuOfLoad(web, { clients, requests, amount: visitors * requests.length })
    await web.stop()
    const elapsedMs = ((visitors * requests.length) / perSecond) * 1000
    return [
      createRowWithMaximum('1,000 first visits', elapsedMs, maxSeconds * 1000, milliseconds),
      createRowWithMaximum('first visit, CPU of the web process', cpuMs * requests.length, maxCpuMs, fineMilliseconds),
      { job: `first visit, ${files.length} files`, ours: kilobytes(sum(answers.map(({ bytes }) => bytes.length))) },
    ]
  },
}
