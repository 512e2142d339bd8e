import { createTransport } from 'nodemailer'
import type { SmtpConfig } from '../config.ts'
import type { Mailer } from './mailer.ts'

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }

/** Maximum time to send one mail, in ms. `socketTimeout` does not end a connection on which each reply arrives byte by byte. */
const defaultMaxSendMs = 120_000

/** Returns the headers with which mail clients offer to unsubscribe (RFC 2369, RFC 8058). */
function unsubscribeHeaders(url: string) {
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
}

/** Sends mails through the configured server over a few persistent connections. */
export function createSmtpMailer({ url, from }: SmtpConfig, maxSendMs = defaultMaxSendMs): Mailer {
  const transport = createTransport(
    { url, pool: true, maxConnections: 2, ...timeouts, disableFileAccess: true, disableUrlAccess: true },
    { from },
  )
  return {
    isConfigured: true,
    async send({ recipient, subject, html, text, unsubscribeUrl }) {
      // Pass the address as an object, because a string could be parsed as a list of addresses.
      const to = { name: '', address: recipient }
      const headers = unsubscribeUrl === undefined ? {} : unsubscribeHeaders(unsubscribeUrl)
      await transport.sendMail({ to, subject, html, text, headers, signal: AbortSignal.timeout(maxSendMs) })
    },
    close: () => transport.close(),
  }
}
