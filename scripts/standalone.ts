// Usage: node scripts/standalone.ts --port N --data DIR [--host ADDR] [--empty] [--past-game] [--cluster]
//
// Runs the product in one process for `npm start`: embedded PostgreSQL, api, gateway and pages on one port, instances as local
// containers or child processes, and the demo game. See scripts/start.mjs for the options.
import type { RequestListener } from 'node:http'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { readConfig } from '@capstan/api/server/config'
import { recordSystemAction } from '@capstan/api/server/logs/record'
import { apiSettings } from '@capstan/api/server/process-settings'
import { type RunningApi, startApi } from '@capstan/api/start-api'
import { createInProcessBus } from '@capstan/bus/in-process-bus'
import { createMemoryRateLimitStore } from '@capstan/bus/rate-limit-store'
import { createInProcessSeatCounter } from '@capstan/bus/seats'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@capstan/db/embedded'
import { readGatewayLimits } from '@capstan/gateway/config'
import { buildGateway, type Gateway } from '@capstan/gateway/gateway'
import { connectionsPerAddress, trustedProxies } from '@capstan/http/client'
import { waitForTermination } from '@capstan/http/termination'
import { pagesSettings } from '@capstan/pages/settings'
import { logLevel } from '@capstan/settings/common'
import { type Environment, readSettings, SettingsError } from '@capstan/settings/read'
import { optional } from '@capstan/settings/setting'
import { openTracer } from '@capstan/tracing/open-tracer'
import { logUncaughtErrors, safeLogging } from '@capstan/tracing/serialize-error'
import { type Logger, pino } from 'pino'
import { runStep } from './bootstrap.mjs'
import { openDataFolder, PlainError, type Secrets } from './lib/data-folder.ts'
import { setDefaultVariables, setVariables } from './lib/environment.ts'
import { defaultHost, openListener } from './lib/local-listener.ts'
import { buildLocalPages } from './lib/local-pages.ts'
import { createLocalRuntime } from './lib/local-runtime.ts'
import { type LocalWays, openInstanceAddresses } from './lib/local-ways.ts'

type Options = Readonly<{
  host: string
  port: number
  data: string
  isEmpty: boolean
  /** True to store a finished game in addition to the demo game. */
  hasPastGame: boolean
  inCluster: boolean
}>

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      host: { type: 'string', default: defaultHost },
      port: { type: 'string', default: '8080' },
      data: { type: 'string', default: '.capstan' },
      empty: { type: 'boolean', default: false },
      'past-game': { type: 'boolean', default: false },
      cluster: { type: 'boolean', default: false },
    },
  })
  return {
    host: values.host,
    port: Number(values.port),
    data: path.resolve(values.data),
    isEmpty: values.empty,
    hasPastGame: values['past-game'],
    inCluster: values.cluster,
  }
}

/** Creates a stack of started parts. `stop` stops each part once, in reverse order of their starts. */
function createUndoStack() {
  const steps: (() => Promise<unknown> | unknown)[] = []
  let stopped: Promise<void> | undefined
  const stopAll = async (): Promise<void> => {
    for (const undo of steps.reverse()) await undo()
  }
  return {
    add: (undo: () => Promise<unknown> | unknown) => void steps.push(undo),
    stop: () => {
      stopped ??= stopAll()
      return stopped
    },
  }
}

async function startDatabase(folder: string): Promise<EmbeddedPostgres> {
  try {
    return await startEmbeddedPostgres({ folder })
  } catch (error) {
    throw new PlainError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

/** Reads the settings that do not belong to the api, and the settings from which the configuration of the api is derived. */
function readOwnSettings() {
  const { adminPassword, databaseUrl } = apiSettings.process
  const settings = {
    logLevel: { ...logLevel, default: 'error' },
    repositoryUrl: pagesSettings.process.repositoryUrl,
    adminPassword,
    trustedProxies,
    connectionsPerAddress,
    databaseUrl: optional(databaseUrl.name, databaseUrl.kind, databaseUrl.about),
  }
  return readSettings(process.env, (reader) => reader.read(settings))
}

function environmentOf(options: Options, secrets: Secrets, databaseUrl: string, ways: LocalWays): Environment {
  const given = setDefaultVariables(process.env, {
    CAPSTAN_INSTANCE_READY_TIMEOUT_MS: '15000',
    // In a cluster, use node ports for instances, because the addresses of pods are usually not reachable from outside.
    ...(options.inCluster && { CAPSTAN_INSTANCE_EXPOSURE: 'NodePort', CAPSTAN_INSTANCE_SECURITY: 'Baseline' }),
  })
  return setVariables(given, {
    CAPSTAN_HOST: options.host,
    DATABASE_URL: databaseUrl,
    CAPSTAN_BLOB_FOLDER: path.join(options.data, 'files'),
    CAPSTAN_SECRET_KEY: secrets.secretKey,
    CAPSTAN_INTERNAL_TOKEN: secrets.internalToken,
    CAPSTAN_ADMIN_PASSWORD: secrets.adminPassword,
    // Disable terminals. They need a separate listener of the api, which does not run here.
    CAPSTAN_TERMINALS: undefined,
    ...ways.environment,
  })
}

function isApiPath(url: string): boolean {
  return /^\/(api|assets|healthz|livez|readyz)(\/|\?|$)/i.test(url) || url.startsWith('/favicon.webp')
}

/**
 * Opens the bus and the stores for limits, which several gateways can share. If Redis is configured, the bus and the
 * stores are in Redis. Otherwise they are in this process, and the Redis library is not loaded.
 */
async function openShared(redisUrl: string | undefined, log: Logger) {
  if (!redisUrl)
    return { bus: createInProcessBus({ log }), seats: createInProcessSeatCounter(), rateLimits: createMemoryRateLimitStore() }
  const [{ createRedisBus }, { createRedisSeatCounter }, { createRedisRateLimitStore }] = await Promise.all([
    import('@capstan/bus/redis-bus'),
    import('@capstan/bus/redis-seats'),
    import('@capstan/bus/rate-limit-redis'),
  ])
  return {
    bus: createRedisBus({ url: redisUrl, log }),
    seats: createRedisSeatCounter({ url: redisUrl, log }),
    rateLimits: createRedisRateLimitStore(redisUrl, { log }),
  }
}

async function run(undo: ReturnType<typeof createUndoStack>): Promise<void> {
  const options = readOptions()
  const own = readOwnSettings()
  const secrets = openDataFolder(options.data, own.adminPassword)
  const log = pino({ ...safeLogging, level: own.logLevel }, pino.destination({ dest: 2, sync: true }))
  logUncaughtErrors(log)

  // Open the port first, so that a port in use is reported immediately. The rest of the start takes seconds. Early requests wait
  // until the platform is ready.
  const answering = Promise.withResolvers<RequestListener>()
  let gateway: Gateway | undefined
  const { server, port, baseUrl, warning } = await openListener(
    { ...options, clients: own, log },
    (request, response) => answering.promise.then((answer) => answer(request, response)),
    () => gateway?.listening,
  )

  const ways = await openInstanceAddresses(options.host, port)
  undo.add(() => ways.close())

  let { databaseUrl } = own
  if (databaseUrl === undefined) {
    const database = await runStep('Starting the database', () => startDatabase(path.join(options.data, 'database')))
    undo.add(() => database.stop())
    databaseUrl = database.url
  }
  const api: RunningApi = await runStep('Starting the platform', async () => {
    const config = readConfig(environmentOf(options, secrets, databaseUrl, ways))
    const { bus, ...counts } = await openShared(config.redisUrl, log)
    undo.add(() => bus.close())
    undo.add(() => Promise.all([counts.seats.close(), counts.rateLimits.close()]))
    const tracer = await openTracer('capstan', config.tracing)
    undo.add(() => tracer?.close())
    const { inCluster, data: dataFolder } = options
    const runtime = await createLocalRuntime(config.instances, { inCluster, dataFolder, log, tracer })
    const started = await startApi(config, { runtime, log, bus, tracer })
    undo.add(() => started.close())
    const management = await started.startManagement()
    undo.add(() => management?.close())

    const pages = await buildLocalPages(started, { repository: own.repositoryUrl })
    undo.add(() => pages.close())
    const built = buildGateway(
      {
        internalToken: config.internalToken,
        trustedProxies: config.trustedProxies,
        connectionsPerAddress: own.connectionsPerAddress,
        publicOrigin: config.publicOrigin,
        maxHubWaitingBytes: 256 * 1024,
        limits: readGatewayLimits(process.env),
        ways: ways.config,
      },
      { backend: started.gatewayBackend, bus, ...counts, registry: started.registry, log, tracer },
    )
    gateway = built
    built.attach(server)
    ways.attach(built)
    answering.resolve((request, response) => {
      if (built.handle(request, response)) return
      const target = isApiPath(request.url ?? '/') ? started.app : pages
      target.routing(request, response)
    })
    undo.add(async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      await built.close({ drainMs: 0 })
      server.closeAllConnections()
      await closed
    })
    return started
  })
  if (!options.isEmpty) {
    await runStep('Preparing the demo game', async () => {
      const { setPlatformName, seedDemoGame } = await import('../e2e/challenges/seed.ts')
      const seed = { baseUrl, adminName: 'Admin', adminPassword: secrets.adminPassword }
      await setPlatformName(seed)
      const { created } = await seedDemoGame(seed)
      if (!created || !options.hasPastGame) return
      const { insertPastGame } = await import('./lib/past-game.ts')
      await insertPastGame(api.deps.db, secrets.secretKey)
    })
  }
  console.log(
    `\n  Open      ${baseUrl}\n  Log in as Admin with the password ${secrets.adminPassword}\n\n  Data is in ${options.data}. Ctrl-C stops the platform.\n`,
  )
  if (warning) console.log(`  ${warning}\n`)
  recordSystemAction(api.deps.platformLog, { level: 'Information', message: 'Platform started', status: 'Success' })
}

const undo = createUndoStack()
void waitForTermination().then(async () => {
  console.log('\n  Stopping …')
  await undo.stop()
  process.exit(0)
})
try {
  await run(undo)
} catch (error) {
  await undo.stop()
  if (!(error instanceof PlainError || error instanceof SettingsError)) throw error
  console.error(`\n${error.message}`)
  process.exit(1)
}
