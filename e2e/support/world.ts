import { readFileSync } from 'node:fs'

/** Running platform under test. */
export type World = Readonly<{
  /** Origin of the site, without a slash at the end. */
  baseUrl: string
  adminName: string
  adminPassword: string
}>

/**
 * Reads CAPSTAN_URL, CAPSTAN_ADMIN_NAME (default `Admin`) and CAPSTAN_ADMIN_PASSWORD or CAPSTAN_ADMIN_PASSWORD_FILE.
 * @throws an error that lists all missing variables
 */
export function readWorldFromEnvironment(env: Readonly<Record<string, string | undefined>> = process.env): World {
  const file = env.CAPSTAN_ADMIN_PASSWORD_FILE
  const password = env.CAPSTAN_ADMIN_PASSWORD ?? (file ? readFileSync(file, 'utf8').trim() : undefined)
  const missing = [
    ...(env.CAPSTAN_URL ? [] : ['CAPSTAN_URL']),
    ...(password ? [] : ['CAPSTAN_ADMIN_PASSWORD or CAPSTAN_ADMIN_PASSWORD_FILE']),
  ]
  if (!env.CAPSTAN_URL || !password) throw new Error(`Set ${missing.join(' and ')} to test against a running platform`)
  return {
    baseUrl: env.CAPSTAN_URL.replace(/\/+$/, ''),
    adminName: env.CAPSTAN_ADMIN_NAME ?? 'Admin',
    adminPassword: password,
  }
}
