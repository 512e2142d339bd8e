import { operatorName } from '@capstan/challenge-instance/names'
import { readDefaultAccess } from '@capstan/kubernetes/access'
import { systemClock } from '@capstan/kubernetes/clock'
import { readSettingsOrExit } from '@capstan/settings/read'
import { openTracer } from '@capstan/tracing/open-tracer'
import { logUncaughtErrors, safeLogging, serializeError } from '@capstan/tracing/serialize-error'
import { pino } from 'pino'
import { readConfig } from './config.ts'
import { createOperator } from './operator.ts'

/** Entry point of the operator. Exit codes: 0 after a signal, 1 after loss of leadership, 2 if the configuration is invalid. */
async function main(): Promise<number> {
  const config = readSettingsOrExit(() => readConfig(process.env), 2)
  const log = pino({ ...safeLogging, level: config.logLevel, base: { service: 'operator' } })
  logUncaughtErrors(log)
  const access = await readDefaultAccess(process.env)
  const tracer = await openTracer(operatorName, config.tracing)
  const operator = createOperator({ config, access, clock: systemClock, log, random: Math.random, tracer })
  const stop = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      log.info({ signal }, 'Received a signal')
      stop.abort()
    })
  }
  const end = await operator.run(stop.signal)
  await tracer?.close()
  log.info({ end }, 'Ended')
  return end === 'lost' ? 1 : 0
}

try {
  // All work has ended, so exit even if a watch is still closing.
  process.exit(await main())
} catch (error) {
  process.stderr.write(`${serializeError(error).stack}\n`)
  process.exit(1)
}
