import { createServer } from 'node:net'
import { type Attempt, type Finding, runProbeAttempt } from './attempts.ts'
import { listCredentialAttempts } from './credentials.ts'
import { listFileAttempts } from './files.ts'
import { listKernelAttacks } from './kernel.ts'
import { fetchLateralPlanFromPeers, listLateralAttempts } from './lateral.ts'
import { exhaustingAttempts, listCpuLimitAttempts } from './limits.ts'
import { listDnsAttempts } from './names.ts'
import { echoUdpMessages, listNetworkAttempts } from './network.ts'
import { listAttemptsOnRecorder } from './sidecar.ts'
import { doneLine, findingPrefix, type MemberTask, type ProbeTask, probePort, taskVariable } from './task.ts'

/**
 * The isolation probe: a program that runs instead of a challenge and tries to escape from its pod. It prints its findings on
 * standard output, where the doctor (operator/src/doctor) reads them.
 */

function report(finding: Finding): void {
  console.log(`${findingPrefix}${JSON.stringify(finding)}`)
}

async function runAll(attempts: Attempt[]): Promise<void> {
  for (const finding of await Promise.all(attempts.map(runProbeAttempt))) report(finding)
}

async function runTask(task: ProbeTask): Promise<void> {
  if (task.role === 'neighbor') return
  if (task.role !== 'attempts') return runAll([exhaustingAttempts[task.role](task)])
  await runAll(listNetworkAttempts(task))
  await runAll(listDnsAttempts(task))
  await runAll(listAttemptsOnRecorder(task.capturePort))
  await runAll(listFileAttempts())
  await runAll(listCredentialAttempts(task.profile))
  await runAll(listKernelAttacks())
  // Measure the use of the processor last and alone, because other attempts would disturb the measurement.
  await runAll(listCpuLimitAttempts(task))
}

/** Tests whether this container can reach other containers. Sends the list of targets to neighboring containers. */
async function runMember(task: MemberTask): Promise<void> {
  echoUdpMessages(probePort)
  const plan = task.plan ?? (await fetchLateralPlanFromPeers(task.peers))
  answer = JSON.stringify(plan)
  await runAll(listLateralAttempts(task, plan))
}

let answer = 'isolation probe\n'
// The instance becomes ready only if a server answers on its port.
createServer((socket) => socket.on('error', () => socket.destroy()).end(answer)).listen(probePort)
process.on('SIGTERM', () => process.exit(0))
const task = JSON.parse(process.env[taskVariable] ?? '') as ProbeTask | MemberTask
await (task.role === 'member' ? runMember(task) : runTask(task))
console.log(doneLine)
