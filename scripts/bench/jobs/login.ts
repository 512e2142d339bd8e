import type { Job } from '../bench.ts'
import type { VerifyOrder } from '../limits/argon2.ts'
import type { LoadRequest } from '../load/order.ts'
import { cpuText, type LoadedReport } from '../loaded.ts'
import { milliseconds, perSecond } from '../report.ts'
import { alternate, summarise } from '../rounds.ts'
import { median } from '../statistics.ts'
import { startWorker } from '../worker.ts'
import { faultsOf } from './http.ts'

/** Logging in beside nothing but checking the password's hash. */
export const loginJob: Job = {
  name: 'login',
  about: 'log-ins with the right password, beside bare argon2 at the same concurrency',
  shareSeconds: 30,
  place: 30,
  async run(bench) {
    const { world } = await bench.database()
    const { port } = await bench.api()
    const { seconds, clients } = bench
    const requests: LoadRequest[] = world.players.map(({ userName }) => ({
      method: 'POST',
      path: '/api/account/login',
      body: JSON.stringify({ userName, password: world.password }),
    }))
    const hasher = startWorker<VerifyOrder, number>(new URL('../limits/argon2.ts', import.meta.url))
    bench.onClose(hasher.stop)
    const reports: LoadedReport[] = []
    const logIn = async () => {
      const report = await bench.load({ port, clients, seconds, requests, keepsBodies: false })
      reports.push(report)
      return { perSecond: report.perSecond }
    }
    const comparison = await alternate(bench.rounds, logIn, async () => ({
      perSecond: await hasher.ask({ hash: world.passwordHash, password: world.password, clients, seconds }),
    }))
    const { ours, limit, ratio } = summarise(comparison, (measure) => measure.perSecond)
    const p99Ms = median(reports.slice(1).map((report) => report.p99Ms))
    return {
      rows: [{ job: 'login', ours: perSecond(ours), limit: perSecond(limit), ratio, cpu: cpuText(reports) }],
      notes: [`login: ${clients} clients, p99 ${milliseconds(p99Ms)}; argon2id with the parameters of the product.`],
      faults: faultsOf('login', reports),
    }
  },
}
