import { createInProcessBus } from '@capstan/bus/in-process-bus'
import type { MessageBus } from '@capstan/bus/message-bus'
import type { GatewayBackend } from '@capstan/contract/gateway-backend'
import { createDatabase } from '@capstan/db/client'
import { migrateDatabase } from '@capstan/db/migrate'
import { startManagement } from '@capstan/http/management'
import { collectProcessMetrics } from '@capstan/tracing/process-metrics'
import type { Tracer } from '@capstan/tracing/tracer'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import { buildApp } from './app.ts'
import type { AppDeps } from './app-types.ts'
import { runEvery } from './background.ts'
import { createPostService } from './games/posts/service.ts'
import { createCollector } from './instances/captures/collector.ts'
import { createCaptureMetrics } from './instances/captures/metrics.ts'
import { createConnectionUpkeep } from './instances/internal/connection-upkeep.ts'
import { createGatewayBackend } from './instances/internal/gateway-backend.ts'
import { createInstanceKeeper } from './instances/lifecycle/keeper.ts'
import type { InstanceRuntime } from './instances/lifecycle/runtime.ts'
import { createFirstAdmin } from './people/accounts/first-admin.ts'
import { createPasswords } from './people/accounts/password.ts'
import { deleteExpiredAccess } from './people/accounts/upkeep.ts'
import { fillNameKeys } from './people/names/fill.ts'
import { createResultKeeper } from './play/profiles/result-keeper.ts'
import { createBoardThread } from './play/scoreboard/board-thread.ts'
import type { ApiConfig } from './server/config.ts'
import { createBlobStore } from './server/files/create-blob-store.ts'
import { createImageConverter } from './server/files/images.ts'
import { createFileService } from './server/files/service.ts'
import { systemClock } from './server/http/clock.ts'
import { createDatabaseLog } from './server/logs/database-log.ts'
import { deleteSurplusLines } from './server/logs/upkeep.ts'
import { createMailer } from './server/mail/create-mailer.ts'
import { createMailQueue } from './server/mail/queue.ts'
import { traceStatements } from './server/plugins/tracing.ts'

const cleanUpMs = 3_600_000

/** How often rows of proxied connections beyond those of an instance go: a busy one makes hundreds a minute. */
const connectionsMs = 60_000

/** No upload takes this long: what is still on its way in then was left by a process that died. */
const strandedAfterMs = 24 * 3_600_000

/** Time between two looks for games that start soon or are over. */
const gamesMs = 180_000

export type StartApiOptions = Readonly<{
  runtime: InstanceRuntime
  log: FastifyBaseLogger
  /** Absent: Redis where `config.redisUrl` is set, else the in-process adapter. Stays the caller's to close. */
  bus?: MessageBus
  /** Absent: no traces. Stays the caller's to close. */
  tracer?: Tracer | undefined
}>

export type RunningApi = Readonly<{
  /** Ready, not listening. */
  app: FastifyInstance
  deps: AppDeps
  /** For a gateway in the same process. */
  gatewayBackend: GatewayBackend
  /** What `/metrics` shows. */
  registry: Registry
  /** Serves `/livez`, `/readyz` and `/metrics` on `config.managementPort`, if there is one. Whoever calls this closes it. */
  startManagement(): ReturnType<typeof startManagement>
  /** Ends what this started, in reverse order: requests first, the database last. The runtime is closed too. */
  close(): Promise<void>
}>

/** Redis where there is one, whose library is loaded only then. */
async function createBus(redisUrl: string | undefined, log: FastifyBaseLogger): Promise<MessageBus> {
  if (!redisUrl) return createInProcessBus({ log })
  const { createRedisBus } = await import('@capstan/bus/redis-bus')
  return createRedisBus({ url: redisUrl, log })
}

/** Brings the database up to date and the api to life with its background work. Whoever calls this listens. */
export async function startApi(config: ApiConfig, options: StartApiOptions): Promise<RunningApi> {
  const { runtime, log, bus: givenBus, tracer } = options
  await migrateDatabase(config.databaseUrl)
  const { db, close: closeDatabase } = createDatabase(config.databaseUrl, {
    maxConnections: config.databaseConnections,
    observe: tracer && traceStatements(tracer),
    log,
  })
  const bus = givenBus ?? (await createBus(config.redisUrl, log))
  const clock = systemClock
  const mailer = await createMailer(config.smtp)
  const platformLog = createDatabaseLog({ db, bus, clock }, log)
  const [blobs, images] = [await createBlobStore(config.blobs), createImageConverter({ log })]
  const boardMaker = createBoardThread({ databaseUrl: config.databaseUrl, log })
  const passwords = createPasswords()
  const deps: AppDeps = { config, db, bus, clock, blobs, images, passwords, runtime, mailer, platformLog, boardMaker, tracer }

  const app = await buildApp(deps, { logger: log })
  collectProcessMetrics(app.metrics.registry)
  await app.ready()
  await fillNameKeys(deps)
  // Before the first user.
  await createPostService(deps).welcome()
  await createFirstAdmin(deps)

  const mailQueue = createMailQueue({ db, mailer, clock, platformLog, log })
  mailQueue.start()
  const stopKeeper = createInstanceKeeper({ ...deps, log }).start()
  const metrics = createCaptureMetrics(app.metrics.registry, db)
  const stopCollector = runtime.captures && createCollector({ ...deps, source: runtime.captures, metrics, log }).start()
  const files = createFileService(deps)
  const connections = createConnectionUpkeep(deps)
  const results = createResultKeeper({ ...deps, scoreboards: app.scoreboards, log })
  app.scoreboards.listen((gameIds) => void (gameIds ? results.runFor(gameIds) : results.run()))
  const endings = [
    runEvery(cleanUpMs, () => deleteExpiredAccess({ ...deps, sessions: app.sessions }), {
      log,
      failure: 'Could not delete what is over',
    }),
    runEvery(cleanUpMs, () => deleteSurplusLines(deps), { log, failure: 'Could not delete surplus lines of the log' }),
    runEvery(cleanUpMs, () => fillNameKeys(deps), { log, failure: 'Could not bring the keys of names up to date' }),
    runEvery(cleanUpMs, () => files.sweep(), { log, failure: 'Could not remove files that nobody refers to' }),
    runEvery(cleanUpMs, () => deps.blobs.deleteStranded(new Date(clock.now().getTime() - strandedAfterMs)), {
      log,
      failure: 'Could not remove uploads that never arrived',
    }),
    runEvery(cleanUpMs, () => app.changes.prune(clock.now()), { log, failure: 'Could not delete old changes' }),
    runEvery(connectionsMs, () => connections.pruneLive(), { log, failure: 'Could not delete surplus connections' }),
    runEvery(cleanUpMs, () => connections.pruneAll(), { log, failure: 'Could not delete old connections' }),
    runEvery(gamesMs, () => app.scoreboards.prebuild(), { log, failure: 'Could not build scoreboards ahead' }),
    runEvery(gamesMs, () => results.run(), { log, failure: 'Could not keep the standings of games that are over' }),
  ]

  const close = async (): Promise<void> => {
    await app.close()
    await boardMaker.close()
    await images.close()
    for (const end of endings) end()
    await stopCollector?.()
    await stopKeeper()
    await mailQueue.stop()
    mailer.close()
    await runtime.close()
    await platformLog.close()
    if (!givenBus) await bus.close()
    await closeDatabase()
  }
  const { host, managementPort } = config
  return {
    app,
    deps,
    gatewayBackend: createGatewayBackend(app),
    registry: app.metrics.registry,
    startManagement: () =>
      startManagement({ host, port: managementPort, registry: app.metrics.registry, readiness: app.readiness, log: app.log }),
    close,
  }
}
