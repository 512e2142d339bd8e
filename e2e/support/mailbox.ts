import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { poll } from './poll.ts'

type ReceivedMail = Readonly<{
  recipient: string
  source: string
}>

/** Mail server that stores received mails. */
export type Mailbox = Readonly<{
  /** Value for CAPSTAN_SMTP_URL. */
  url: string
  /** Waits for a mail to this address that contains a link to `path`, and returns the link. */
  linkFor(recipient: string, path: string): Promise<string>
  close(): void
}>

/** Starts a mail server with the parts of SMTP (RFC 5321) that are needed to send a mail. */
export async function openMailbox(): Promise<Mailbox> {
  const mails: ReceivedMail[] = []
  const server = createServer((socket) => serve(socket, (mail) => mails.push(mail))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    linkFor: (recipient, path) =>
      poll(`a mail to ${recipient}`, () =>
        mails
          .filter((mail) => mail.recipient.toLowerCase() === recipient.toLowerCase())
          .flatMap(({ source }) => readable(source).match(/https?:\/\/[^\s"<>]+/g) ?? [])
          .map((link) => link.replaceAll('&amp;', '&'))
          .findLast((link) => new URL(link).pathname === path),
      ),
    close: () => void server.close(),
  }
}

function serve(socket: Socket, keep: (mail: ReceivedMail) => void): void {
  let received = ''
  let recipient = ''
  let inData = false
  const say = (line: string) => socket.write(`${line}\r\n`)
  const command = (line: string) => {
    inData = /^DATA/i.test(line)
    recipient = /^RCPT TO:<([^>]*)>/i.exec(line)?.[1] ?? recipient
    say(inData ? '354 Go ahead' : /^QUIT/i.test(line) ? '221 Bye' : '250 OK')
  }
  socket.setEncoding('utf8')
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk: string) => {
    received += chunk
    for (;;) {
      const mark = inData ? '\r\n.\r\n' : '\r\n'
      const end = received.indexOf(mark)
      if (end < 0) return
      const part = received.slice(0, end)
      received = received.slice(end + mark.length)
      if (!inData) {
        command(part)
        continue
      }
      inData = false
      keep({ recipient, source: part })
      say('250 OK')
    }
  })
  say('220 mailbox')
}

/** Decodes quoted-printable (RFC 2045, section 6.7). */
function readable(source: string): string {
  return source
    .replaceAll('=\r\n', '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
