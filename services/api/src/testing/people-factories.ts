import type { AccountPolicy } from '@capstan/contract/settings'
import type { Database } from '@capstan/db/client'
import { platformSettings } from '@capstan/db/schema/platform'
import type { Mail } from '../server/mail/mailer.ts'
import { createMailQueue } from '../server/mail/queue.ts'
import { createTestClient, type TestApp } from './app.ts'

/** Sets the account policy. Absent fields get their defaults. */
export async function setAccountPolicy(db: Database, value: AccountPolicy): Promise<void> {
  await db
    .insert(platformSettings)
    .values({ section: 'accountPolicy', value })
    .onConflictDoUpdate({ target: platformSettings.section, set: { value } })
}

/** Sends queued mails. @returns the sent mails */
export async function deliverQueuedMails({ deps, mails }: TestApp): Promise<Mail[]> {
  mails.splice(0)
  await createMailQueue({ ...deps, log: { warn: () => {}, error: () => {} } }).deliver()
  return mails.splice(0)
}

/** Returns the token and the address from the query of a mailed link. */
export function parseMailedLink(mail: Mail) {
  const url = new URL(/https?:\/\/\S+/.exec(mail.text)![0])
  return { url, token: url.searchParams.get('token')!, email: url.searchParams.get('email')! }
}

export const password = 'Correct1horse'

/** Registers an account through the API. @returns the signed-in client */
export async function registerThroughApi(context: TestApp, userName: string, email = `${userName}@example.org`) {
  const client = createTestClient(context.app)
  const response = await client.post('/api/account/register', { userName, email, password })
  return { client, response }
}
