import type { SmtpConfig } from '../config.ts'
import type { Mailer } from './mailer.ts'

export const noMailer: Mailer = {
  isConfigured: false,
  send: () => Promise.reject(new Error('No mail server is configured')),
  close: () => {},
}

/** Creates the mailer. The SMTP library is only loaded if a mail server is configured. */
export async function createMailer(smtp: SmtpConfig | undefined): Promise<Mailer> {
  if (!smtp) return noMailer
  const { createSmtpMailer } = await import('./smtp-mailer.ts')
  return createSmtpMailer(smtp)
}
