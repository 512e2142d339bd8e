import { recordSystem } from '../../server/logs/record.ts'
import type { PeopleDeps } from '../deps.ts'
import { accountRepository } from './repository.ts'
import { userNameColumns } from './service.ts'

const name = 'Admin'
const email = 'admin@capstan.local'

/**
 * Makes the first admin where there is no user `Admin` and a password is configured; called at start, by every replica.
 * An existing user of that name is left alone, whatever its role and password. Rules: docs/contract/admin.md#first-admin.
 * @returns whether it was made
 */
export async function createFirstAdmin({
  db,
  config,
  passwords,
  clock,
  platformLog,
}: Pick<PeopleDeps, 'db' | 'config' | 'passwords' | 'clock' | 'platformLog'>): Promise<boolean> {
  if (!config.adminPassword) return false
  const accounts = accountRepository(db)
  const existing = await accounts.findByLogin(name)
  if (existing) return false
  const now = clock.now()
  const admin = await accounts.insertUnlessTaken({
    ...userNameColumns(name),
    email,
    passwordHash: await passwords.hash(config.adminPassword),
    role: 'Admin',
    emailConfirmed: true,
    registeredAt: now,
    lastVisitedAt: now,
  })
  if (admin) recordSystem(platformLog, { level: 'Information', message: 'Created the first admin', status: 'Success' })
  return admin !== undefined
}
