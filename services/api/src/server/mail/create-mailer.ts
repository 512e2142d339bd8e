import type { SmtpConfig } from '../config.ts'
import type { Mailer } from './mailer.ts'

/** Takes the place of a mail server where none is configured. */
export const noMailer: Mailer = {
  isConfigured: false,
  send: () => Promise.reject(new Error('No mail server is configured')),
  close: () => {},
}

/** Who mails are handed to. The library that speaks SMTP is loaded only where there is a mail server. */
export async function createMailer(smtp: SmtpConfig | undefined): Promise<Mailer> {
  if (!smtp) return noMailer
  const { createSmtpMailer } = await import('./smtp-mailer.ts')
  return createSmtpMailer(smtp)
}
