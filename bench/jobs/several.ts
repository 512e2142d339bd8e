import { loadavg } from 'node:os'
import type { Job } from '../bench.ts'
import { openBenchCluster } from '../cluster.ts'
import { quantileOf, summarizeByMedian } from '../statistics.ts'
import { createRowWithMaximum, createRowWithMaxRatio, createSkippedRow, milliseconds } from '../table.ts'
import { readCpuMs } from '../usage.ts'

const pairs = 12
const maxRatio = 1.3
const crowd = 15
const podsOfInstance = 3
const maxCpuMsPerPod = 20

export const job: Job = {
  name: 'several',
  about:
    'starts of instances with three containers beside three bare pods, and 15 such instances at once, on the cluster of KUBECONFIG',
  async run(bench) {
    const cluster = await openBenchCluster(bench)
    if (!cluster) return [createSkippedRow('several', 'there is no cluster (KUBECONFIG is not set)')]
    const times = await cluster.startPairs(pairs, 'instance of three', 'three bare pods')
    const [load = 0] = loadavg()
    const cpuBefore = await readCpuMs(cluster.operatorPid)
    const readyMs = await cluster.start('instance of three', crowd)
    await cluster.removeAll()
    const cpuMs = (await readCpuMs(cluster.operatorPid)) - cpuBefore
    return [
      createRowWithMaxRatio('start of three containers beside three bare pods', summarizeByMedian(times), maxRatio, milliseconds),
      { job: 'load average during these starts', ours: load.toFixed(1) },
      { job: `${crowd} instances of three containers at once, last Ready`, ours: milliseconds(quantileOf(readyMs, 1)) },
      createRowWithMaximum('operator CPU for each of their pods', cpuMs / (crowd * podsOfInstance), maxCpuMsPerPod, milliseconds),
    ]
  },
}
