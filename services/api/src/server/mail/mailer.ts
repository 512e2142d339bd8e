/** A mail as it leaves; both bodies say the same. */
export interface Mail {
  readonly recipient: string
  readonly subject: string
  readonly html: string
  readonly text: string
}

/** Hands mails to a mail server. The durable queue (`mail/queue.ts`) decides when; this only sends. */
export interface Mailer {
  /** False: no mail server is configured; mails are refused (production) or their links logged (development). */
  readonly isConfigured: boolean
  /** @throws when the server does not take the mail */
  send(mail: Mail): Promise<void>
  close(): void
}
