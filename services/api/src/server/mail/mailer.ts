export type Mail = Readonly<{
  recipient: string
  subject: string
  html: string
  text: string
  /** Address for the one-click unsubscribe (RFC 8058). */
  unsubscribeUrl?: string
}>

/** Sends mails to a mail server immediately. The durable queue (`mail/queue.ts`) sends its mails through a mailer. */
export type Mailer = Readonly<{
  isConfigured: boolean
  send(mail: Mail): Promise<void>
  close(): void
}>
