import { createDatabase } from '@capstan/db/client'
import { migrateDatabase } from '@capstan/db/migrate'
import { createUnsteadyDatabaseLink } from '@capstan/db/testing/unsteady-link'
import { waitForDatabase } from '@capstan/db/wait-for-database'
import { safeLogging, serializeError } from '@capstan/tracing/serialize-error'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { buildApp } from '../../app.ts'
import { createFirstAdmin } from '../../people/accounts/first-admin.ts'
import type { BlobStore } from '../../server/files/blob-store.ts'
import { createDatabaseLog } from '../../server/logs/database-log.ts'
import { createMailQueue } from '../../server/mail/queue.ts'
import { createMailRepository } from '../../server/mail/repository.ts'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../app.ts'
import { signInAsNewUser } from '../factories.ts'
import { aChallenge, aGame } from '../organizing-factories.ts'
import { aPlayer } from '../playing-factories.ts'

/** Secrets that neither an error response nor a log line may contain. */
const secrets = {
  flag: 'flag{planted-flag}',
  password: 'Planted1password',
  token: 'planted-reset-token',
  person: 'Planted Realname',
  secretKey: 'planted-secret-key',
}
const words = [...Object.values(secrets), ...Object.values(secrets).map((text) => Buffer.from(text).toString('base64'))]

const lines: string[] = []
const log = pino({ ...safeLogging, level: 'trace' }, { write: (line: string) => void lines.push(line) })
let context: TestApp
let link: Awaited<ReturnType<typeof createUnsteadyDatabaseLink>>
let impatient: ReturnType<typeof createDatabase>
let app: TestApp['app']
let calls: [string, () => ReturnType<TestClient['post']>][]

/**
 * SQL that makes every write to a table fail with the error code in `failing`. The message, detail and hint of the error quote
 * the row.
 */
const failingTables = `
  create table failing (code text not null);
  create function quote_the_row() returns trigger language plpgsql as $$
    declare code text := (select failing.code from failing limit 1);
    begin
      if code is not null then
        raise exception 'The row is %', new using errcode = code, detail = new::text, hint = new::text, constraint = 'some_key';
      end if;
      return new;
    end $$;
  do $$ declare name text; begin
    for name in select tablename from pg_tables where schemaname = 'public' and tablename <> 'failing' loop
      execute format('create trigger quoting before insert or update on %I for each row execute function quote_the_row()', name);
    end loop;
  end $$;`

beforeAll(async () => {
  context = await startTestApp({ config: { secretKey: secrets.secretKey, adminPassword: secrets.password } })
  const url = context.deps.config.databaseUrl
  await context.sql.unsafe(failingTables)
  link = await createUnsteadyDatabaseLink(url)
  impatient = createDatabase(link.url, { patience: { waitMs: 100 }, log })
  const blobs: BlobStore = {
    ...context.blobs,
    put: () => Promise.reject(Object.assign(new Error(`PUT /key?X-Amz-Signature=${secrets.secretKey}`), { config: secrets })),
  }
  app = await buildApp({ ...context.deps, db: impatient.db, blobs }, { logger: log })

  const game = await aGame(context.db)
  const challenge = await aChallenge(context.db, { gameId: game.id, flags: [secrets.flag] })
  const player = await aPlayer(context, { gameId: game.id, challengeIds: [challenge.id] })
  const admin = await signInAsNewUser(context, 'Admin')
  const at = ({ cookies }: TestClient): TestClient => {
    const client = createTestClient(app)
    for (const [name, value] of cookies) client.cookies.set(name, value)
    return client
  }
  const [visitor, member, organizer] = [createTestClient(app), at(player.client), at(admin.client)]
  const { flag, password, token, person } = secrets
  const newcomer = { userName: 'newcomer', password, email: 'newcomer@example.org' }
  const submission = `/api/game/${game.id}/challenges/${challenge.id}`
  const mailed = { rToken: Buffer.from(token).toString('base64'), email: Buffer.from(newcomer.email).toString('base64') }
  calls = [
    ['a right flag', () => member.post(submission, { flag })],
    ['a wrong flag', () => member.post(submission, { flag: `${flag} again` })],
    ['a registration', () => visitor.post('/api/account/register', newcomer)],
    ['a log-in', () => visitor.post('/api/account/login', { userName: player.user.userName, password })],
    ['a new password', () => visitor.post('/api/account/passwordreset', { ...mailed, password })],
    ['a profile', () => member.put('/api/account/update', { realName: person })],
    ['a team', () => member.post('/api/team', { name: person.slice(0, 15), bio: person })],
    ['flags', () => organizer.post(`/api/edit/games/${game.id}/challenges/${challenge.id}/flags`, [{ flag }])],
    ['users', () => organizer.post('/api/admin/users', [{ ...newcomer, realName: person }])],
    ['settings', () => organizer.put('/api/admin/config', { globalConfig: { title: person } })],
    ['a picture', () => member.upload('PUT', '/api/account/avatar', [{ name: 'a.png', content: secrets.flag }])],
    ['a file', () => organizer.upload('POST', '/api/assets', [{ field: 'files', name: 'a.txt', content: secrets.flag }])],
  ]
  lines.length = 0
})
afterAll(async () => {
  await app.close()
  await impatient.close()
  await link.close()
  await context.close()
})
beforeEach(async () => {
  await expect.poll(() => impatient.db.ping().catch((error: unknown) => String(error))).toBe(undefined)
  lines.length = 0
  context.logLines.length = 0
})

function expectNoSecrets(answers: readonly string[]): void {
  const output = [...lines, ...answers, ...context.logLines.map((line) => JSON.stringify(line))].join('\n')
  expect(words.filter((word) => output.includes(word))).toEqual([])
}
async function callAll() {
  const answers: { name: string; status: number; text: string }[] = []
  for (const [name, call] of calls) {
    const { statusCode, body } = await call()
    answers.push({ name, status: statusCode, text: body })
  }
  return answers
}

test.each([
  ['a violated constraint', '23505'],
  ['a value that is too long', '22001'],
  ['a serialization failure of two transactions', '40001'],
  ['a deadlock', '40P01'],
  ['a statement that takes too long', '57014'],
  ['a full disk', '53100'],
  ['a defect of the server', 'XX000'],
])('reveals no data of the request after %s', async (_name, code) => {
  await context.sql`insert into failing values (${code})`
  const answers = await callAll()
  await context.sql`delete from failing`
  expect(answers.filter(({ status }) => status >= 500).length).toBeGreaterThan(4)
  expectNoSecrets(answers.map(({ text }) => text))
  expect(lines.some((line) => line.includes(code))).toBe(true)
})

test('reveals no data of the request while the database is unavailable, and logs the failure', async () => {
  await link.cut()
  const answers = await callAll()
  await link.mend()
  expect(answers.filter(({ status }) => status !== 503 && status !== 400)).toEqual([])
  expectNoSecrets(answers.map(({ text }) => text))
  expect(lines.some((line) => line.includes('Lost the database'))).toBe(true)
})

test('reveals no data of the request if the blob store fails', async () => {
  const answers = await callAll()
  expect(answers.find(({ name }) => name === 'a file')?.status).toBe(500)
  expectNoSecrets(answers.map(({ text }) => text))
})

test("logs a refused mail without the mail server's message, which quotes the mail", async () => {
  const address = `https://ctf.example.org/account/reset?token=${secrets.token}`
  const mail = { recipient: 'a@example.org', subject: 'Reset', html: address, text: address }
  for (const command of ['DATA', 'RCPT TO']) {
    await createMailRepository(context.db).enqueue(mail, context.clock.now())
    const refusal = Object.assign(new Error(`554 refused ${address}`), { command, responseCode: 554, response: address })
    const mailer = { isConfigured: true, send: () => Promise.reject(refusal), close: () => {} }
    await createMailQueue({ ...context.deps, mailer, log }).deliver()
  }
  await context.sql`delete from mail_queue`
  expect(lines).toHaveLength(2)
  expectNoSecrets([])
})

test('keeps admin-only log lines out of the process log if they cannot be stored', async () => {
  await context.sql`insert into failing values ('XX000')`
  const platformLog = createDatabaseLog(context.deps, log, { batchMs: 60_000 })
  platformLog.write({ level: 'Information', name: secrets.person, message: 'Logged in' })
  await platformLog.flush()
  await context.sql`delete from failing`
  await platformLog.close()
  expect(lines).toHaveLength(1)
  expectNoSecrets([])
})

test('prints no password in the terminal if the start fails', async () => {
  const url = new URL(context.deps.config.databaseUrl)
  url.password = secrets.password
  const wrong = `postgres://${secrets.password} :${secrets.password}@nowhere`
  await context.sql`insert into failing values ('XX000')`
  const failures = await Promise.all(
    [
      waitForDatabase(url.href, 0),
      waitForDatabase(wrong, 0),
      migrateDatabase(url.href),
      migrateDatabase(wrong),
      createFirstAdmin(context.deps),
    ].map((start) =>
      start.then(
        () => undefined,
        (error: unknown) => error,
      ),
    ),
  )
  await context.sql`delete from failing`
  for (const failure of failures) expect(failure).toBeInstanceOf(Error)
  expectNoSecrets(failures.map((failure) => JSON.stringify(serializeError(failure))))
})
