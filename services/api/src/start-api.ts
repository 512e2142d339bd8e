import { createInProcessBus } from '@capstan/bus/in-process-bus'
import type { MessageBus } from '@capstan/bus/message-bus'
import type { GatewayBackend } from '@capstan/contract/gateway-backend'
import { createDatabase } from '@capstan/db/client'
import { migrateDatabase } from '@capstan/db/migrate'
import { startManagementServer } from '@capstan/http/management'
import { collectProcessMetrics } from '@capstan/tracing/process-metrics'
import type { Tracer } from '@capstan/tracing/tracer'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import { buildApp } from './app.ts'
import type { AppDeps } from './app-types.ts'
import { runPeriodically } from './background.ts'
import { startChallengeReleases } from './challenges/editing/releases.ts'
import { createWelcomePost } from './games/posts/service.ts'
import { deleteUnusedAnswerFiles } from './games/questions/service.ts'
import { createWebhookSender } from './games/webhooks/sender.ts'
import { pruneDeliveries } from './games/webhooks/service.ts'
import { createCaptureCollector } from './instances/captures/collector.ts'
import { createCaptureMetrics } from './instances/captures/metrics.ts'
import { pruneConnections, pruneLiveConnections } from './instances/internal/connection-upkeep.ts'
import { createGatewayBackend } from './instances/internal/gateway-backend.ts'
import { createInstanceReconciler } from './instances/lifecycle/reconciler.ts'
import type { InstanceRuntime } from './instances/lifecycle/runtime.ts'
import { createFirstAdmin } from './people/accounts/first-admin.ts'
import { createPasswords } from './people/accounts/password.ts'
import { deleteExpiredSessionsAndLinks } from './people/accounts/upkeep.ts'
import { fillUniqueNameKeys } from './people/names/fill.ts'
import { createStandingsWriter } from './play/profiles/standings-writer.ts'
import { extendChains } from './play/public-chain/service.ts'
import { createBoardThread } from './play/scoreboard/board-thread.ts'
import type { ApiConfig } from './server/config.ts'
import { createBlobStore } from './server/files/create-blob-store.ts'
import { createImageConverter } from './server/files/images.ts'
import { deleteUnreferencedFiles } from './server/files/service.ts'
import { systemClock } from './server/http/clock.ts'
import { createDatabaseLog } from './server/logs/database-log.ts'
import { deleteSurplusLines } from './server/logs/upkeep.ts'
import { createMailer } from './server/mail/create-mailer.ts'
import { createMailQueue } from './server/mail/queue.ts'
import { createFencedFetch } from './server/outgoing/fenced-fetch.ts'
import { createStatementTracer } from './server/plugins/tracing.ts'

const cleanUpMs = 3_600_000

/** Interval at which the api adds public records to the chains of games and seals the chains, in ms. */
const sealMs = 60_000

const connectionCleanUpMs = 60_000

/** Age at which a partial upload is deleted. No upload in progress takes this long, so the file is from an interrupted upload. */
const abandonedAfterMs = 24 * 3_600_000

/**
 * Interval in ms of the jobs that build the scoreboard before a game starts and store the final standings after the
 * game ends.
 */
const gameJobsMs = 180_000

export type StartApiOptions = Readonly<{
  runtime: InstanceRuntime
  log: FastifyBaseLogger
  /** Message bus, closed by the caller. Default: Redis if `config.redisUrl` is set, otherwise the in-process adapter. */
  bus?: MessageBus
  /** Tracer, closed by the caller. If absent, tracing is off. */
  tracer?: Tracer | undefined
}>

export type RunningApi = Readonly<{
  app: FastifyInstance
  deps: AppDeps
  gatewayBackend: GatewayBackend
  registry: Registry
  /**
   * Serves `/livez`, `/readyz` and `/metrics` on `config.managementPort` if the port is set. The caller closes the returned
   * server.
   */
  startManagement(): ReturnType<typeof startManagementServer>
  /** Closes the runtime and all resources of `startApi` in reverse order: the app first, the database last. */
  close(): Promise<void>
}>

/** Creates the Redis bus if a URL is set. The Redis library is loaded on demand. */
async function createBus(redisUrl: string | undefined, log: FastifyBaseLogger): Promise<MessageBus> {
  if (!redisUrl) return createInProcessBus({ log })
  const { createRedisBus } = await import('@capstan/bus/redis-bus')
  return createRedisBus({ url: redisUrl, log })
}

/** Migrates the database, builds the Fastify app and starts the background jobs. The caller starts the listener. */
export async function startApi(config: ApiConfig, options: StartApiOptions): Promise<RunningApi> {
  const { runtime, log, bus: givenBus, tracer } = options
  await migrateDatabase(config.databaseUrl)
  const { db, close: closeDatabase } = createDatabase(config.databaseUrl, {
    maxConnections: config.databaseConnections,
    observe: tracer && createStatementTracer(tracer),
    log,
  })
  const bus = givenBus ?? (await createBus(config.redisUrl, log))
  const clock = systemClock
  const mailer = await createMailer(config.smtp)
  const platformLog = createDatabaseLog({ db, bus, clock }, log)
  const [blobs, images] = [await createBlobStore(config.blobs), createImageConverter({ log })]
  const boardMaker = createBoardThread({ databaseUrl: config.databaseUrl, log })
  const passwords = createPasswords()
  const outgoing = createFencedFetch(config.outgoing)
  const resources = { db, bus, clock, blobs, images, passwords, runtime, mailer, platformLog, outgoing, boardMaker }
  const deps: AppDeps = { config, ...resources, tracer }

  const app = await buildApp(deps, { logger: log })
  collectProcessMetrics(app.metrics.registry)
  await app.ready()
  await fillUniqueNameKeys(deps)
  // Create the welcome post now, because it must exist before the first user logs in.
  await createWelcomePost(deps)
  await createFirstAdmin(deps)

  const mailQueue = createMailQueue({ db, mailer, clock, platformLog, log })
  mailQueue.start()
  const webhookSender = createWebhookSender({ ...deps, log })
  webhookSender.start()
  const stopReconciler = createInstanceReconciler({ ...deps, log }).start()
  const metrics = createCaptureMetrics(app.metrics.registry, db)
  const stopCollector = runtime.captures && createCaptureCollector({ ...deps, source: runtime.captures, metrics, log }).start()
  const results = createStandingsWriter({ ...deps, scoreboards: app.scoreboards, log })
  app.scoreboards.listen((gameIds) => void (gameIds ? results.runFor(gameIds) : results.run()))
  const stopJobs = [
    startChallengeReleases({ ...deps, log }),
    runPeriodically(cleanUpMs, () => deleteExpiredSessionsAndLinks({ ...deps, sessions: app.sessions }), {
      log,
      failure: 'Could not delete expired sessions and tokens',
    }),
    runPeriodically(cleanUpMs, () => deleteSurplusLines(deps), { log, failure: 'Could not delete surplus log lines' }),
    runPeriodically(cleanUpMs, () => fillUniqueNameKeys(deps), { log, failure: 'Could not update the keys of names' }),
    runPeriodically(cleanUpMs, () => deleteUnusedAnswerFiles(deps), { log, failure: 'Could not delete unused files of answers' }),
    runPeriodically(cleanUpMs, () => pruneDeliveries(deps), { log, failure: 'Could not delete old events of webhooks' }),
    runPeriodically(cleanUpMs, () => deleteUnreferencedFiles(deps), { log, failure: 'Could not remove unreferenced files' }),
    runPeriodically(cleanUpMs, () => deps.blobs.deleteStranded(new Date(clock.now().getTime() - abandonedAfterMs)), {
      log,
      failure: 'Could not remove abandoned uploads',
    }),
    runPeriodically(cleanUpMs, () => app.changes.prune(clock.now()), { log, failure: 'Could not delete old changes' }),
    runPeriodically(connectionCleanUpMs, () => pruneLiveConnections(deps), {
      log,
      failure: 'Could not delete surplus connection rows',
    }),
    runPeriodically(cleanUpMs, () => pruneConnections(deps), { log, failure: 'Could not delete old connection rows' }),
    runPeriodically(gameJobsMs, () => app.scoreboards.prebuild(), { log, failure: 'Could not prebuild scoreboards' }),
    runPeriodically(sealMs, () => extendChains(deps), { log, failure: 'Could not extend the public chains of games' }),
    runPeriodically(gameJobsMs, () => results.run(), { log, failure: 'Could not store the standings of finished games' }),
  ]

  const close = async (): Promise<void> => {
    await app.close()
    await boardMaker.close()
    await images.close()
    for (const stop of stopJobs) stop()
    await stopCollector?.()
    await stopReconciler()
    await mailQueue.stop()
    await webhookSender.stop()
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
      startManagementServer({
        host,
        port: managementPort,
        registry: app.metrics.registry,
        readiness: app.readiness,
        log: app.log,
      }),
    close,
  }
}
