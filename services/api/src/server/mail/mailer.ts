/** A mail to send. Both bodies have the same content. */
export type Mail = Readonly<{
  recipient: string
  subject: string
  html: string
  text: string
}>

/** Sends mails to a mail server at once. The durable queue (`mail/queue.ts`) decides when. */
export type Mailer = Readonly<{
  /** False without a mail server: mails are refused in production, and their links are logged in development. */
  isConfigured: boolean
  /** @throws Error if the server does not accept the mail */
  send(mail: Mail): Promise<void>
  close(): void
}>
