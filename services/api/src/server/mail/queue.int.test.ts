import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { mailQueue, users } from '@capstan/db/schema/accounts'
import { eq } from 'drizzle-orm'
import { SMTPServer } from 'smtp-server'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { waitForOlderTransactions } from '../../testing/older-transactions.ts'
import { createMailer } from './create-mailer.ts'
import type { Mail, Mailer } from './mailer.ts'
import { createMailQueue } from './queue.ts'
import { createMailRepository } from './repository.ts'
import { createSmtpMailer } from './smtp-mailer.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp()
})
beforeEach(() => context.db.delete(mailQueue))
afterAll(() => context.close())

const silent = { warn: () => {}, error: () => {} }
function queueWith(mailer: Mailer) {
  return createMailQueue({ ...context.deps, mailer, log: silent })
}
function collecting() {
  const sent: string[] = []
  return { sent, mailer: { isConfigured: true, send: async (mail: Mail) => void sent.push(mail.subject), close: () => {} } }
}
const failing: Mailer = { isConfigured: true, send: () => Promise.reject(new Error('mailbox on fire')), close: () => {} }
function aMail(subject: string): Mail {
  return { recipient: 'ada@example.org', subject, html: '<p>Grüße</p>', text: 'Grüße' }
}
function enqueue(...subjects: string[]) {
  return context.db.transaction(async (transaction) => {
    for (const subject of subjects) await createMailRepository(transaction).enqueue(aMail(subject), context.clock.now())
  })
}

test('sends mails in order, and each mail only once', async () => {
  await enqueue('one', 'two', 'three')
  const { sent, mailer } = collecting()
  expect(await queueWith(mailer).deliver()).toBe(3)
  expect(await queueWith(mailer).deliver()).toBe(0)
  expect(sent).toEqual(['one', 'two', 'three'])
  expect(await context.db.$count(mailQueue)).toBe(0)
})

test('sends each mail only once even if several replicas send mails', async () => {
  await enqueue(...Array.from({ length: 40 }, (_, index) => `mail ${index}`))
  const { sent, mailer } = collecting()
  const counts = await Promise.all(Array.from({ length: 4 }, () => queueWith(mailer).deliver()))
  expect(counts.reduce((sum, count) => sum + count)).toBe(40)
  expect(new Set(sent).size).toBe(40)
  expect(sent).toHaveLength(40)
})

/** Starts a delivery, and waits until its mail server has the mail. The server responds when the test calls `respond`. */
async function startSlowDelivery() {
  const [sending, response] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const delivery = queueWith({
    ...failing,
    async send() {
      sending.resolve()
      await response.promise
    },
  }).deliver()
  await sending.promise
  return { delivery, respond: () => response.resolve() }
}

test('boards and change feeds get new positions while a mail server does not respond', async () => {
  await enqueue('slow')
  const { delivery, respond } = await startSlowDelivery()
  await waitForOlderTransactions(context)
  respond()
  expect(await delivery).toBe(1)
})

test('a replica sends other mails while another replica waits for the mail server', async () => {
  await enqueue('slow', 'other')
  const { delivery, respond } = await startSlowDelivery()
  const { sent, mailer } = collecting()
  expect(await queueWith(mailer).deliver()).toBe(1)
  expect(sent).toEqual(['other'])
  respond()
  expect(await delivery).toBe(1)
})

test('retries a refused mail with increasing delays until it is sent', async () => {
  await enqueue('stubborn')
  expect(await queueWith(failing).deliver()).toBe(0)
  const { sent, mailer } = collecting()
  context.clock.advanceMs(4_999)
  expect(await queueWith(mailer).deliver()).toBe(0)
  context.clock.advanceMs(1)
  expect(await queueWith(failing).deliver()).toBe(0)
  context.clock.advanceMs(9_999)
  expect(await queueWith(mailer).deliver()).toBe(0)
  context.clock.advanceMs(1)
  expect(await queueWith(mailer).deliver()).toBe(1)
  expect(sent).toEqual(['stubborn'])
})

test('other mails are sent while one mail is refused', async () => {
  await enqueue('bad', 'good')
  const { sent, mailer } = collecting()
  const picky: Mailer = { ...mailer, send: (mail) => (mail.subject === 'bad' ? failing.send(mail) : mailer.send(mail)) }
  expect(await queueWith(picky).deliver()).toBe(1)
  expect(sent).toEqual(['good'])
})

test('sends a mail with a link before overdue bulk mails', async () => {
  const bulk = { ...aMail('bulk'), unsubscribeUrl: 'https://ctf.example.org/stop', dueAt: context.clock.now() }
  await createMailRepository(context.db).enqueueAll([bulk, bulk])
  await enqueue('link')
  const { sent, mailer } = collecting()
  await queueWith(mailer).deliver()
  expect(sent).toEqual(['link', 'bulk', 'bulk'])
})

test('the queue stops after the current mail, even if more mails are due', async () => {
  await enqueue('one', 'two', 'three')
  const { sent, mailer } = collecting()
  const first = Promise.withResolvers<void>()
  const hasBegun = Promise.withResolvers<void>()
  const queue = queueWith({
    ...mailer,
    async send(mail) {
      hasBegun.resolve()
      await first.promise
      await mailer.send(mail)
    },
  })
  queue.start()
  await hasBegun.promise
  const stopped = queue.stop()
  first.resolve()
  await stopped
  expect(sent).toEqual(['one'])
})

test('later mails are sent while the first mails fail repeatedly', async () => {
  await enqueue('bad one', 'bad two', 'good')
  const sent: string[] = []
  const queue = queueWith({
    ...failing,
    async send({ subject }) {
      // Each attempt to send takes longer than the delay of the first retry.
      context.clock.advanceMs(6_000)
      if (subject.startsWith('bad')) throw new Error('mailbox on fire')
      sent.push(subject)
      void queue.stop()
    },
  })
  await queue.deliver()
  expect(sent).toEqual(['good'])
})

test('drops a mail whose link has expired, and logs this once', async () => {
  await enqueue('late')
  context.clock.advanceMs(3 * 3600_000)
  await queueWith(failing).deliver()
  expect(await context.db.$count(mailQueue)).toBe(0)
  expect(context.logLines.at(-1)).toMatchObject({ level: 'Error', status: 'Failed' })
})

test('sends no mail if its transaction is rolled back', async () => {
  const failed = context.db.transaction(async (transaction) => {
    await createMailRepository(transaction).enqueue(aMail('never'), context.clock.now())
    throw new Error('rolled back')
  })
  await expect(failed).rejects.toThrow('rolled back')
  expect(await context.db.$count(mailQueue)).toBe(0)
})

test('the queue sends new mails after it is started, and no mails after it is stopped', async () => {
  const { sent, mailer } = collecting()
  const queue = queueWith(mailer)
  queue.start()
  await enqueue('soon')
  await vi.waitFor(() => expect(sent, 'sent within the polling interval').toEqual(['soon']), { timeout: 120_000 })
  await queue.stop()
  await enqueue('too late')
  expect(await context.db.$count(mailQueue)).toBe(1)
})

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

function permanentRefusal() {
  return Object.assign(new Error('Never'), { responseCode: 550 })
}

/** Starts an SMTP server that either stores or refuses mails. */
async function startSmtp(options: { refuse?: boolean; permanent?: 'recipient' | 'content' } = {}) {
  const received: { from: string; to: string[]; data: string }[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo(_address, _session, done) {
      done(options.permanent === 'recipient' ? permanentRefusal() : undefined)
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        if (options.refuse) return done(new Error('Not today'))
        if (options.permanent === 'content') return done(permanentRefusal())
        const { mailFrom, rcptTo } = session.envelope
        received.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          data: Buffer.concat(chunks).toString(),
        })
        done()
      })
    },
  })
  server.on('error', () => {})
  const listener = server.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const mailer = await createMailer({
    url: `smtp://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    from: 'Capstan <ctf@example.org>',
  })
  closers.push(() => {
    mailer.close()
    server.close()
  })
  return { received, mailer }
}

test('sends a mail with both bodies, the sender and one recipient', async () => {
  const { received, mailer } = await startSmtp()
  await enqueue('Hello there')
  expect(await queueWith(mailer).deliver()).toBe(1)
  expect(received).toMatchObject([{ from: 'ctf@example.org', to: ['ada@example.org'] }])
  const { data } = received[0]!
  expect(data).toMatch(/^From: Capstan <ctf@example\.org>\r\n/m)
  expect(data).toMatch(/^Subject: Hello there\r\n/m)
  expect(data).toContain('multipart/alternative')
  expect(data).toContain('Gr=C3=BC=C3=9Fe')
  expect(data).toContain('<p>Gr=C3=BC=C3=9Fe</p>')
})

test('treats a recipient address that contains a second address as one recipient', async () => {
  const { received, mailer } = await startSmtp()
  const mail = { ...aMail('sneaky'), recipient: 'ada,eve@example.org' }
  await context.db.transaction((transaction) => createMailRepository(transaction).enqueue(mail, context.clock.now()))
  await queueWith(mailer).deliver()
  expect(received.flatMap(({ to }) => to)).not.toContain('eve@example.org')
})

test('sends headers for a one-click unsubscribe if the mail has an address for it', async () => {
  const { received, mailer } = await startSmtp()
  const unsubscribeUrl = `https://ctf.example.org/unsubscribe?token=${'x'.repeat(120)}`
  await context.db.transaction((transaction) =>
    createMailRepository(transaction).enqueueAll([{ ...aMail('News'), unsubscribeUrl, dueAt: context.clock.now() }]),
  )
  await enqueue('Reset')
  expect(await queueWith(mailer).deliver()).toBe(2)
  const [reset, news] = received.map(({ data }) => data.replaceAll(/\r\n[ \t]+/g, ' '))
  expect(news).toContain(`List-Unsubscribe: <${unsubscribeUrl}>\r\n`)
  expect(news).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n')
  expect(reset).not.toContain('List-Unsubscribe')
})

test('a mail fails after its time limit if the server sends a reply byte by byte', async () => {
  const replies = ['220 ready', '250 hello', '250 sender', '250 recipient']
  const ended = Promise.withResolvers<void>()
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    const answer = () => {
      const reply = replies.shift()
      if (reply !== undefined) return void socket.write(`${reply}\r\n`)
      const timer = setInterval(() => socket.write('3'), 20)
      socket.once('close', () => clearInterval(timer))
    }
    socket.on('error', () => {}).on('data', answer)
    socket.once('close', () => ended.resolve())
    answer()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const mailer = createSmtpMailer({ url: `smtp://127.0.0.1:${port}`, from: 'ctf@example.org' }, 500)
  closers.push(() => {
    mailer.close()
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  await expect(mailer.send(aMail('slow'))).rejects.toThrow()
  await ended.promise
})

test.each(['recipient', 'content'] as const)(
  'drops a mail and logs its recipient if the %s is refused permanently',
  async (permanent) => {
    const { mailer } = await startSmtp({ permanent })
    await enqueue('refused')
    expect(await queueWith(mailer).deliver()).toBe(0)
    expect(await context.db.$count(mailQueue)).toBe(0)
    expect(context.logLines.at(-1)).toMatchObject({
      level: 'Error',
      message: 'The mail server refused a mail to ada@example.org',
      status: 'Failed',
    })
  },
)

test('tells a user that the mail server refuses mails to the user’s address, until a later mail arrives or the address changes', async () => {
  const { client, user } = await signInAsNewUser(context)
  const isRefused = async () => (await client.get('/api/account/mail')).json().isRefused
  const send = async (mailer: Mailer) => {
    await createMailRepository(context.db).enqueue({ ...aMail('news'), recipient: user.email.toUpperCase() }, context.clock.now())
    await queueWith(mailer).deliver()
    return isRefused()
  }
  const { mailer: refusing } = await startSmtp({ permanent: 'recipient' })
  expect(await isRefused()).toBe(false)
  expect(await send(refusing)).toBe(true)
  expect(await send(collecting().mailer)).toBe(false)
  expect(await send(refusing)).toBe(true)
  await context.db
    .update(users)
    .set({ email: `new-${user.email}` })
    .where(eq(users.id, user.id))
  expect(await isRefused()).toBe(false)
})

test('a mail remains in the queue if the server refuses it temporarily or is unreachable', async () => {
  const { mailer } = await startSmtp({ refuse: true })
  await enqueue('kept')
  expect(await queueWith(mailer).deliver()).toBe(0)
  const away = await createMailer({ url: 'smtp://127.0.0.1:1', from: 'ctf@example.org' })
  context.clock.advanceMs(5_000)
  expect(await queueWith(away).deliver()).toBe(0)
  away.close()
  expect((await context.db.select().from(mailQueue))[0]!.attempts).toBe(2)
})

test('no mail is sent if no mail server is configured', async () => {
  await enqueue('waiting')
  expect(await queueWith(await createMailer(undefined)).deliver()).toBe(0)
  expect((await context.db.select().from(mailQueue))[0]!.attempts).toBe(0)
})
