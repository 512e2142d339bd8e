/** A mail as it leaves; both bodies say the same. */
export type Mail = Readonly<{
  recipient: string
  subject: string
  html: string
  text: string
}>

/** Hands mails to a mail server. The durable queue (`mail/queue.ts`) decides when; this only sends. */
export type Mailer = Readonly<{
  /** False: no mail server is configured; mails are refused (production) or their links logged (development). */
  isConfigured: boolean
  /** @throws when the server does not take the mail */
  send(mail: Mail): Promise<void>
  close(): void
}>
