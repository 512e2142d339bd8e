import { type ServerProcess, startServerProcess } from './server-process.ts'

export type ApiOptions = Readonly<{
  databaseUrl: string
  secretKey: string
  blobFolder: string
  /** Further flags of Node. */
  flags: readonly string[]
  /** Further variables. */
  environment?: Readonly<Record<string, string>>
}>

/** Nobody asks by it here. */
export const internalToken = 'only for this measurement'

/** Starts the api with limits off and everything else as it is by default. */
export function startApiProcess({
  databaseUrl,
  secretKey,
  blobFolder,
  flags,
  environment = {},
}: ApiOptions): Promise<ServerProcess> {
  return startServerProcess({
    name: 'api',
    dockerfile: new URL('../../services/api/Dockerfile', import.meta.url),
    flags,
    environment: (port) => ({
      DATABASE_URL: databaseUrl,
      REDIS_URL: '',
      CAPSTAN_HOST: '127.0.0.1',
      CAPSTAN_PORT: String(port),
      CAPSTAN_SECRET_KEY: secretKey,
      CAPSTAN_INTERNAL_TOKEN: internalToken,
      CAPSTAN_BLOB_FOLDER: blobFolder,
      CAPSTAN_RATE_LIMITS: 'off',
      // The generator speaks for clients at many addresses.
      CAPSTAN_TRUSTED_PROXIES: '127.0.0.1',
      CAPSTAN_INSTANCE_RUNTIME: 'none',
      ...environment,
    }),
  })
}
