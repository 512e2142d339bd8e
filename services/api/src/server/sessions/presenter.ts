import type { AccountSession } from '@capstan/contract/sessions'
import bowser from 'bowser'
import type { SessionRow } from './repository.ts'
import type { SessionUser } from './session-user.ts'

/**
 * Returns the names of browser and operating system from a `User-Agent` header. A name is null if the header does not contain it.
 */
function deviceOf(userAgent: string): Pick<AccountSession, 'browser' | 'system'> {
  if (userAgent === '') return { browser: null, system: null }
  const { browser, os } = bowser.parse(userAgent)
  return { browser: browser.name || null, system: os.name || null }
}

export function presentSession(row: SessionRow, user: SessionUser): AccountSession {
  return {
    id: row.id,
    isCurrent: row.tokenHash === user.session?.tokenHash,
    ...deviceOf(row.userAgent),
    address: row.lastAddress,
    openedAt: row.createdAt.getTime(),
    lastUsedAt: row.lastUsedAt.getTime(),
  }
}
