import { fileURLToPath } from 'node:url'
import { internalToken } from './api-process.ts'
import type { Bench } from './bench.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

/** The built pages. */
export const webFolder: string = fileURLToPath(new URL('../../web/dist-web', import.meta.url))

/** Starts the web process in front of an api. It ends with the bench, if not before. */
export async function startWebProcess(bench: Bench, api: ServerProcess): Promise<ServerProcess> {
  const web = await startServerProcess({
    name: 'web process',
    dockerfile: new URL('../../web/Dockerfile', import.meta.url),
    flags: bench.nodeFlags,
    environment: (port) => ({
      CAPSTAN_HOST: '127.0.0.1',
      CAPSTAN_PORT: String(port),
      CAPSTAN_API_URL: `http://127.0.0.1:${api.port}`,
      CAPSTAN_GATEWAY_URL: `http://127.0.0.1:${api.port}`,
      CAPSTAN_INTERNAL_TOKEN: internalToken,
      CAPSTAN_WEB_FOLDER: webFolder,
    }),
  })
  bench.onClose(web.stop)
  return web
}
