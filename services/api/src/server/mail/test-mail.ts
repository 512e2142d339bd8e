// Sends a mail directly, without the queue, so that an admin sees the result.
import type { LanguageCode } from '@capstan/contract/languages'
import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { ServerDeps } from '../deps.ts'
import { readSettings } from '../settings/service.ts'
import { renderMailWithoutPlaceholders } from './templates.ts'

/** Returns the error message of the mail server or the network as one line. */
function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').slice(0, Limits.maxMailReasonLength)
}

/** Sends the test mail. @throws Problem `email.no-server`, or `email.refused` with the server's message as detail */
export async function sendTestMail(
  deps: Pick<ServerDeps, 'db' | 'blobs' | 'images' | 'clock' | 'config' | 'mailer'>,
  recipient: string,
  language: LanguageCode,
): Promise<void> {
  if (!deps.mailer.isConfigured) throw new Problem('email.no-server')
  const platformName = (await readSettings(deps)).globalConfig.title
  try {
    await deps.mailer.send(renderMailWithoutPlaceholders('test', { recipient, language, platformName }))
  } catch (error) {
    throw new Problem('email.refused', { detail: reasonOf(error) })
  }
}
