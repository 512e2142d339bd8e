import { createTransport } from 'nodemailer'
import type { SmtpConfig } from '../config.ts'
import type { Mailer } from './mailer.ts'

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }

/** Sends mails through the configured server over a few persistent connections. */
export function createSmtpMailer({ url, from }: SmtpConfig): Mailer {
  const transport = createTransport(
    { url, pool: true, maxConnections: 2, ...timeouts, disableFileAccess: true, disableUrlAccess: true },
    { from },
  )
  return {
    isConfigured: true,
    async send({ recipient, subject, html, text }) {
      // Pass the address as an object, because a string could be parsed as a list of addresses.
      await transport.sendMail({ to: { name: '', address: recipient }, subject, html, text })
    },
    close: () => transport.close(),
  }
}
