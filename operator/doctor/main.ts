import { createServer } from 'node:net'
import { type Attempt, type Finding, tryOut } from './attempts.ts'
import { fileAttempts } from './files.ts'
import { kernelAttempts } from './kernel.ts'
import { fatalAttempt, processorAttempts } from './limits.ts'
import { nameAttempts } from './names.ts'
import { networkAttempts } from './network.ts'
import { doctorPort, doneMark, findingMark, type Orders, ordersVariable } from './orders.ts'
import { sidecarAttempts } from './sidecar.ts'
import { traceAttempts } from './traces.ts'

/** The doctor in a challenge's place: tries to get out, and tells on standard output what it could do. */

const tell = (finding: Finding): void => console.log(`${findingMark}${JSON.stringify(finding)}`)

async function tryAll(attempts: Attempt[]): Promise<void> {
  for (const finding of await Promise.all(attempts.map(tryOut))) tell(finding)
}

async function attend(orders: Orders): Promise<void> {
  if (orders.role === 'neighbour') return
  if (orders.role !== 'attempts') return tryAll([fatalAttempt[orders.role](orders)])
  await tryAll(networkAttempts(orders))
  await tryAll(nameAttempts(orders))
  await tryAll(sidecarAttempts(orders.capturePort))
  await tryAll(fileAttempts())
  await tryAll(traceAttempts(orders.profile))
  await tryAll(kernelAttempts())
  // Alone, for it measures.
  await tryAll(processorAttempts(orders))
}

// Answers on its port as a challenge does, so that the instance becomes ready.
createServer((socket) => socket.on('error', () => socket.destroy()).end('doctor\n')).listen(doctorPort)
process.on('SIGTERM', () => process.exit(0))
await attend(JSON.parse(process.env[ordersVariable] ?? '') as Orders)
console.log(doneMark)
