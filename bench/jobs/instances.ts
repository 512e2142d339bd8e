import type { Job } from '../bench.ts'
import { openBenchCluster, type Subject } from '../cluster.ts'
import { compareFigures, measureAlternately, median, quantileOf, summarizeByMedian } from '../statistics.ts'
import { createRowWithMaximum, createRowWithMaxRatio, createSkippedRow, megabytes, milliseconds } from '../table.ts'
import { readCpuMs, readMemory } from '../usage.ts'

const pairs = 8
const maxRatio = { p50: 1.2, p99: 1.5, recorded: 1.3 }
const atOnce = 20
const roundsAtOnce = 3
const crowd = 100
const maxCpuMs = 15
const maxMemory = 150 * 1024 * 1024

export const job: Job = {
  name: 'instances',
  about: 'starts of instances beside bare pods and with a recorder, and 100 instances at once, on the cluster of KUBECONFIG',
  async run(bench) {
    const cluster = await openBenchCluster(bench)
    if (!cluster) return [createSkippedRow('instances', 'there is no cluster (KUBECONFIG is not set)')]
    const startPairs = (ours: Subject, limit: Subject) => cluster.startPairs(pairs, ours, limit)
    const times = await startPairs('instance', 'bare pod')
    const at = (share: number) => compareFigures(quantileOf(times.ours, share), quantileOf(times.limit, share))
    const recorded = await startPairs('recorded instance', 'instance')
    /**
     * Starts instances concurrently, and then deletes them.
     * @returns the median of the start times
     */
    const startAtOnce = (subject: Subject) => async () => {
      const times = await cluster.start(subject, atOnce)
      await cluster.removeAll()
      return median(times)
    }
    const recordedAtOnce = await measureAlternately(roundsAtOnce, startAtOnce('recorded instance'), startAtOnce('instance'))
    const cpuBefore = await readCpuMs(cluster.operatorPid)
    const readyMs = await cluster.start('instance', crowd)
    await cluster.removeAll()
    const cpuMs = (await readCpuMs(cluster.operatorPid)) - cpuBefore
    return [
      createRowWithMaxRatio('instance start, p50', at(0.5), maxRatio.p50, milliseconds),
      createRowWithMaxRatio('instance start, p99', at(0.99), maxRatio.p99, milliseconds),
      createRowWithMaxRatio('recorded start beside a plain start', summarizeByMedian(recorded), maxRatio.recorded, milliseconds),
      createRowWithMaxRatio(
        `${atOnce} recorded at once beside plain ones`,
        summarizeByMedian(recordedAtOnce),
        maxRatio.recorded,
        milliseconds,
      ),
      { job: `${crowd} instances at once, last Ready`, ours: milliseconds(quantileOf(readyMs, 1)) },
      createRowWithMaximum(`${crowd} instances at once, operator CPU each`, cpuMs / crowd, maxCpuMs, milliseconds),
      // The measured memory includes the kubeconfig library, which an operator in a pod does not load.
      createRowWithMaximum('operator memory, peak', await readMemory(cluster.operatorPid, 'VmHWM'), maxMemory, megabytes),
    ]
  },
}
