export type Mail = Readonly<{
  recipient: string
  subject: string
  html: string
  text: string
}>

/** Sends mails to a mail server immediately. The durable queue (`mail/queue.ts`) calls it. */
export type Mailer = Readonly<{
  isConfigured: boolean
  send(mail: Mail): Promise<void>
  close(): void
}>
