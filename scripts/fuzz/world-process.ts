// Target of the fuzzer: gateway, web process and api in one process, in front of hostile instances, with every listener of the
// product. An uncaught failure ends the process, as in production. sequences.int.test.ts forks it with the environment variables
// of an api, and with the folder of the web client as its argument.
import type { AddressInfo, Server } from 'node:net'
import process from 'node:process'
import { readConfig } from '@capstan/api/server/config'
import { startApi } from '@capstan/api/start-api'
import type { RouteTarget } from '@capstan/contract/gateway-backend'
import { GatewayLimits } from '@capstan/contract/limits'
import { openPorts } from '@capstan/gateway/reach/ports'
import { startTcpServer } from '@capstan/gateway/testing/tcp-server'
import { startTestGateway } from '@capstan/gateway/testing/test-gateway'
import { startManagementServer } from '@capstan/http/management'
import { buildPagesApp } from '@capstan/pages/app'
import { logUncaughtErrors } from '@capstan/tracing/serialize-error'
import { pino } from 'pino'
import { generate } from 'selfsigned'
import { serveHostileInstance } from './hostile-instance.ts'
import { domain, instanceId, label } from './names.ts'

process.once('disconnect', () => process.exit(1))
logUncaughtErrors({ fatal: (fields) => process.stderr.write(`${JSON.stringify((fields as { err: Error }).err.stack)}\n`) })

const host = '127.0.0.1'
const quiet = pino({ level: 'silent' })
function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}
async function openOne(): Promise<Server> {
  for (const server of (await openPorts([0], host)).values()) return server
  throw new Error('The system gave no port')
}

const { cert, private: key } = await generate([{ name: 'commonName', value: domain }], { keyType: 'ec' })
const gateway = await startTestGateway({
  config: {
    ways: { domain, tls: { certificate: cert, key } },
    // Raise all limits per client, because all connections have the same source address.
    limits: Object.fromEntries(Object.keys(GatewayLimits).map((name) => [name, 1_000_000])),
  },
})
const [secure, plain] = [await openOne(), await openOne()]
gateway.gateway.attachTls(secure)
gateway.gateway.attachPort(plain, portOf(plain))
const instance = await startTcpServer(serveHostileInstance)
const route: RouteTarget = {
  ...{
    state: 'ready',
    instanceId,
    host,
    port: instance.port,
    kind: 'team',
    speaks: 'http',
    isRaw: false,
    hasOwnCertificate: false,
  },
}
gateway.backend.routes.set(label, route)
gateway.backend.routes.set(portOf(plain), route)
gateway.backend.targets.set(instanceId, instance.target('test'))

const started = await startApi(readConfig(process.env), {
  runtime: {
    exposure: 'Proxy',
    create: async () => {},
    extend: async () => {},
    delete: async () => {},
    find: () => undefined,
    list: () => [],
    watch: () => () => {},
    close: async () => {},
  },
  log: quiet,
})
const apiUrl = await started.app.listen({ host, port: 0 })
const management = await startManagementServer({
  host,
  port: 0,
  registry: gateway.gateway.registry,
  readiness: () => ({ isReady: true, text: '' }),
  log: quiet,
})
const pages = await buildPagesApp({
  host,
  port: 0,
  trustedProxies: false,
  apiUrl,
  gatewayUrl: gateway.origin,
  internalToken: 'shared by the tests alone',
  folder: process.argv[2] ?? '',
  logLevel: 'silent',
  shutdownDelayMs: 0,
  drainMs: 0,
} as never)
const pagesUrl = await pages.app.listen({ host, port: 0 })

process.send?.({
  gateway: gateway.port,
  secure: portOf(secure),
  plain: portOf(plain),
  api: Number(new URL(apiUrl).port),
  pages: Number(new URL(pagesUrl).port),
  management: management?.port,
})
