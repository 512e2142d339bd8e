import { getServers } from 'node:dns'
import { setTimeout as sleep } from 'node:timers/promises'
import { namesName } from '@capstan/challenge-instance/names'
import { readDefaultAccess } from '@capstan/kubernetes/access'
import { dropUnusedPodFields, pods } from '@capstan/kubernetes/built-in-kinds'
import { createKubeClient } from '@capstan/kubernetes/client'
import { systemClock } from '@capstan/kubernetes/clock'
import { createInformer } from '@capstan/kubernetes/informer'
import { readSettings, readSettingsOrExit } from '@capstan/settings/read'
import { logUncaughtErrors, safeLogging } from '@capstan/tracing/serialize-error'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { createHealthServer } from '../http-health.ts'
import { createContainerDirectory } from './directory.ts'
import { createDnsForwarder } from './forward.ts'
import { startDnsListener } from './listener.ts'
import { createNameResolver } from './resolver.ts'
import { namesSettings } from './settings.ts'

const nameServerPort = 53

/**
 * Name server for the containers of instances. For each container, the server resolves the names of the container's own
 * instance. If the settings permit it, the server forwards queries for all other names. See ADR 65. After SIGTERM, the
 * server still responds for some seconds, because containers send queries to it until they notice that the server has
 * ended.
 */
async function main(): Promise<void> {
  const config = readSettingsOrExit(() => readSettings(process.env, (reader) => reader.read(namesSettings.process)), 2)
  const log = pino({ ...safeLogging, level: config.logLevel, base: { service: namesName } })
  logUncaughtErrors(log)
  const client = createKubeClient(await readDefaultAccess(process.env), { userAgent: namesName })
  const directory = createContainerDirectory()
  const [upstream] = getServers()
  const resolver = createNameResolver({
    directory,
    clock: systemClock,
    forward: config.forwards && upstream !== undefined ? createDnsForwarder({ host: upstream, port: nameServerPort }) : undefined,
  })
  const cache = createInformer({
    client,
    resource: pods,
    scope: { namespace: config.instanceNamespace },
    clock: systemClock,
    log,
    random: Math.random,
    reduce: dropUnusedPodFields,
  })
  cache.onChange((now, before) => {
    directory.change(now, before)
    resolver.wake()
  })
  const health = createHealthServer(
    {
      refuseLive: () => undefined,
      refuseReady: () => (cache.synced() ? undefined : 'the containers are not known yet'),
    },
    new Registry(),
  )
  const listener = await startDnsListener(config.port, resolver)
  await health.listen(config.healthPort)
  const stop = new AbortController()
  process.once('SIGTERM', async () => {
    log.info('Received a signal')
    await sleep(config.drainSeconds * 1000)
    stop.abort()
  })
  log.info({ port: config.port, forwards: config.forwards }, 'Answers queries')
  await cache.run(stop.signal)
  listener.close()
  await health.close()
  client.close()
}

await main()
