import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Job } from '../bench.ts'
import { type PrintedRow, readPrintedTable } from '../printed-table.ts'
import type { Row } from '../report.ts'

/** The gateway's own measurements, which also run by themselves; here their rows join the table. */
async function runBench(file: string, args: readonly number[]): Promise<PrintedRow[]> {
  const entry = fileURLToPath(new URL(`../../../services/gateway/bench/${file}`, import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [entry, ...args.map(String)], { timeout: 120_000 })
  const rows = readPrintedTable(stdout)
  if (rows.length === 0) throw new Error(`${file} printed no table:\n${stdout}`)
  return rows
}

function find(rows: readonly PrintedRow[], ...words: string[]): PrintedRow | undefined {
  return rows.find(({ job }) => words.every((word) => job.includes(word)))
}

function asRow(job: string, { ours, limit, ratio }: PrintedRow): Row {
  return {
    job,
    ours,
    ...(limit !== '' && { limit }),
    ...(limit !== '' && !Number.isNaN(Number(ratio)) && { ratio: Number(ratio) }),
  }
}

const leastFanoutRatio = 0.9
const lastClientMostMs = 1_000
const fanoutClients = 5_000
const gatewayBaseMb = 150
const perClientKb = 20

/** One message to 5,000 clients. */
export const fanoutJob: Job = {
  name: 'fanout',
  about: 'one notice to 5,000 hub clients, beside a bare loop over ws sockets',
  shareSeconds: 20,
  place: 60,
  async run() {
    const printed = await runBench('fanout.ts', [fanoutClients, 30])
    const rows: Row[] = []
    const p50 = find(printed, 'fan-out', 'p50')
    if (p50) {
      const row = asRow('fanout, last of 5,000 clients, p50', p50)
      rows.push({ ...row, bar: `>= ${leastFanoutRatio}`, isMet: Number(p50.ratio) >= leastFanoutRatio })
    }
    const p99 = find(printed, 'fan-out', 'p99')
    if (p99) {
      const row = asRow('fanout, last of 5,000 clients, p99', p99)
      rows.push({ ...row, bar: '<= 1,000 ms', isMet: Number.parseFloat(p99.ours) <= lastClientMostMs })
    }
    const memory = find(printed, 'memory')
    if (memory) {
      const mostMb = gatewayBaseMb + (fanoutClients * perClientKb) / 1024
      const ours = `${memory.ours}, ${memory.ratio} a client`
      rows.push({
        job: 'gateway memory, 5,000 clients',
        ours,
        bar: `<= ${mostMb.toFixed(0)} MB`,
        isMet: Number.parseFloat(memory.ours) <= mostMb,
      })
    }
    return { rows }
  },
}
