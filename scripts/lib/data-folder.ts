import { randomBytes } from 'node:crypto'
import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { refuseSharedFolder } from '@capstan/db/own-folder'

/** What the platform of `npm start` makes once and keeps. */
export type Secrets = Readonly<{
  /** Encrypts the games' private keys. */
  secretKey: string
  /** Between the platform's own parts. */
  internalToken: string
  adminPassword: string
}>

/** A failure whose message is all that a person needs. */
export class PlainError extends Error {}

/** A password that satisfies the platform's own rule: letters of both cases and digits, easy to copy. */
function makePassword(): string {
  return `${randomBytes(9).toString('base64url').replaceAll(/[-_]/g, 'x')}aA1`
}

function isSecrets(value: unknown): value is Secrets {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['secretKey', 'internalToken', 'adminPassword'].every((key) => typeof Reflect.get(value, key) === 'string')
  )
}

/**
 * Opens the data folder, making it when it is missing.
 * @param adminPassword replaces a random one while the folder is new
 * @throws PlainError when the folder cannot be used, is not ours alone, or its secrets are damaged
 */
export function openDataFolder(folder: string, adminPassword: string | undefined): Secrets {
  try {
    // Root's PostgreSQL runs as another user, who has to pass.
    mkdirSync(folder, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
    accessSync(folder, constants.R_OK | constants.W_OK)
  } catch {
    throw new PlainError(`The data folder ${folder} cannot be written: choose another with --data`)
  }
  const refusal = refuseSharedFolder(folder)
  if (refusal) throw new PlainError(refusal)
  const file = path.join(folder, 'secrets.json')
  if (!existsSync(file)) {
    const made: Secrets = {
      secretKey: randomBytes(32).toString('hex'),
      internalToken: randomBytes(32).toString('hex'),
      adminPassword: adminPassword ?? makePassword(),
    }
    writeFileSync(file, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 })
    return made
  }
  try {
    const secrets: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (isSecrets(secrets)) return secrets
  } catch {}
  throw new PlainError(`${file} is damaged: restore it from a backup, or choose another folder with --data`)
}
