import { operatorName } from '@capstan/challenge-instance/names'
import { readDefaultAccess } from '@capstan/kubernetes/access'
import { createKubeClient } from '@capstan/kubernetes/client'
import { systemClock } from '@capstan/kubernetes/clock'
import { readSettingsOrExit } from '@capstan/settings/read'
import { logUncaughtErrors, safeLogging } from '@capstan/tracing/serialize-error'
import { pino } from 'pino'
import { readConfig } from '../config.ts'
import { endInstances } from './end-instances.ts'

/** Time for the operator and the API server, in ms, in addition to `CAPSTAN_CAPTURE_DRAIN_SECONDS`. */
const marginMs = 15_000

/**
 * The uninstall job, which `helm uninstall` runs before it deletes any object. By default, it ends only instances whose traffic is
 * recorded. With `--all`, it ends every instance. The chart sets `--all` if the instances' namespace remains. The job fails if the
 * API server returns an error.
 */
async function main(): Promise<void> {
  const { instanceNamespace, logLevel, instances } = readSettingsOrExit(() => readConfig(process.env))
  const log = pino({ ...safeLogging, level: logLevel, base: { service: 'uninstall' } })
  logUncaughtErrors(log)
  const client = createKubeClient(await readDefaultAccess(process.env), { userAgent: operatorName })
  const stop = new AbortController()
  process.once('SIGTERM', () => stop.abort())
  const timeoutMs = (instances.capture?.drainSeconds ?? 0) * 1000 + marginMs
  const scope = process.argv.includes('--all') ? 'all' : 'recording'
  const endedWithoutRecordings = await endInstances({
    client,
    clock: systemClock,
    namespace: instanceNamespace,
    scope,
    timeoutMs,
    signal: stop.signal,
  })
  log.info({ scope, endedWithoutRecordings }, 'Ended instances')
  client.close()
}

await main()
