import { randomBytes } from 'node:crypto'
import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { findReasonFolderIsUnsafe } from '@capstan/db/own-folder'

/** Secrets that the first `npm start` creates and stores for later starts. */
export type Secrets = Readonly<{
  /** Key that encrypts the games' private keys. */
  secretKey: string
  /** Token for calls between the processes of the platform. */
  internalToken: string
  adminPassword: string
}>

/** Error whose message is enough for the user, so no stack is printed. */
export class PlainError extends Error {}

/** Returns a password that satisfies the platform's rule. It is easy to copy, because it consists of letters and digits. */
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
 * Opens the data folder, or creates it.
 * @param adminPassword password for a new folder; by default a random one
 * @throws PlainError if the folder cannot be used, if it belongs to another user, or if its secrets are damaged
 */
export function openDataFolder(folder: string, adminPassword: string | undefined): Secrets {
  try {
    // If root starts the platform, PostgreSQL runs as another user. Allow this user to enter the folder.
    mkdirSync(folder, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
    accessSync(folder, constants.R_OK | constants.W_OK)
  } catch {
    throw new PlainError(`The data folder ${folder} cannot be written: choose another with --data`)
  }
  const refusal = findReasonFolderIsUnsafe(folder)
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
