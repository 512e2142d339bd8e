import { recordSystemAction } from '../../server/logs/record.ts'
import type { PeopleDeps } from '../deps.ts'
import { createAccountRepository } from './repository.ts'
import { toUserNameColumns } from './service.ts'

const name = 'Admin'
const email = 'admin@capstan.local'

/**
 * Creates the user `Admin` if a password is configured and the user does not exist. An existing user retains its role and
 * password. Every replica calls this at startup. Rules: docs/contract/admin.md#first-admin.
 * @returns true if the user was created
 */
export async function createFirstAdmin({
  db,
  config,
  passwords,
  clock,
  platformLog,
}: Pick<PeopleDeps, 'db' | 'config' | 'passwords' | 'clock' | 'platformLog'>): Promise<boolean> {
  if (!config.adminPassword) return false
  const accounts = createAccountRepository(db)
  const existing = await accounts.findByLogin(name)
  if (existing) return false
  const now = clock.now()
  const admin = await accounts.insertUnlessTaken({
    ...toUserNameColumns(name),
    email,
    passwordHash: await passwords.hash(config.adminPassword),
    role: 'Admin',
    emailConfirmed: true,
    registeredAt: now,
    lastVisitedAt: now,
  })
  if (admin) recordSystemAction(platformLog, { level: 'Information', message: 'Created the first admin', status: 'Success' })
  return admin !== undefined
}
