import { readOrExit } from '@capstan/settings/read'
import { reportCrashes, safeLogging } from '@capstan/tracing/tell-error'
import { pino } from 'pino'
import { readConfig } from '../config.ts'
import { defaultAccess } from '../kube/access.ts'
import { createKubeClient } from '../kube/client.ts'
import { systemClock } from '../kube/clock.ts'
import { endInstances } from './end-instances.ts'

/** Beyond the time that an instance has for its recordings: for the operator and the API server, in milliseconds. */
const marginMs = 15_000

/**
 * `helm uninstall`: ends what records while operator and collector are still there; with `--all` every instance, for a namespace
 * that stays. Fails with the error of the API server.
 */
async function main(): Promise<void> {
  const { instanceNamespace, logLevel, instances } = readOrExit(() => readConfig(process.env))
  const log = pino({ ...safeLogging, level: logLevel, base: { service: 'farewell' } })
  reportCrashes(log)
  const client = createKubeClient(await defaultAccess(process.env))
  const stop = new AbortController()
  process.once('SIGTERM', () => stop.abort())
  const patienceMs = (instances.capture?.drainSeconds ?? 0) * 1000 + marginMs
  const scope = process.argv.includes('--all') ? 'all' : 'recording'
  const abandoned = await endInstances({
    client,
    clock: systemClock,
    namespace: instanceNamespace,
    scope,
    patienceMs,
    signal: stop.signal,
  })
  log.info({ scope, abandoned }, 'Ended instances')
  client.close()
}

await main()
