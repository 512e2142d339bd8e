// Runs the api like `server.ts`, but the instances are in the parent process. The api exits when the parent exits.
import { flushCompileCache } from 'node:module'
import process from 'node:process'
import { logUncaughtErrors, safeLogging } from '@capstan/tracing/serialize-error'
import { pino } from 'pino'
import { readConfig } from '../../server/config.ts'
import { startApi } from '../../start-api.ts'
import { createHostedRuntime } from './hosted-runtime.ts'

process.once('disconnect', () => process.exit(1))
const log = pino({ ...safeLogging, level: 'error' })
logUncaughtErrors(log)
const config = readConfig(process.env)
const { app } = await startApi(config, { runtime: createHostedRuntime(), log })
const origin = await app.listen({ host: '127.0.0.1', port: 0 })
// Write the cache now, because a process that gets SIGKILL writes nothing.
flushCompileCache()
process.send?.({ kind: 'listening', origin })
