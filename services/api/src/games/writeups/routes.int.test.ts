import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { games, participations } from '@capstan/db/schema/games'
import { eq } from 'drizzle-orm'
import { extract } from 'tar-stream'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { aTeam, signInAsNewUser } from '../../testing/factories.ts'
import { aGame, aParticipation } from '../../testing/organizing-factories.ts'

let context: TestApp
let admin: TestClient
const start = new Date()
beforeAll(async () => {
  context = await startTestApp()
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(() => context.close())
beforeEach(() => context.clock.set(start))

async function aPlayer(game: Parameters<typeof aGame>[1] = {}, status: 'Accepted' | 'Pending' | 'Suspended' = 'Accepted') {
  const { id: gameId } = await aGame(context.db, { writeupRequired: true, writeupNote: 'Be brief', ...game })
  const { user, client } = await signInAsNewUser(context)
  const team = await aTeam(context.db, { captainId: user.id })
  const participation = await aParticipation(context.db, { gameId, teamId: team.id, status })
  return { gameId, team, client, participation, url: `/api/game/${gameId}/writeup` }
}

function pdf(text: string) {
  return Buffer.from(`%PDF-1.7\n${text}`)
}
function upload(client: TestClient, url: string, content: Buffer, file: { name?: string; type?: string } = {}) {
  return client.upload('POST', url, [{ name: 'report.pdf', type: 'application/pdf', content, ...file }])
}
function outcome(response: { statusCode: number; body: string }) {
  return response.body === '' ? response.statusCode : [response.statusCode, JSON.parse(response.body).code]
}

/** Returns names and contents of the files in a .tar.gz. */
async function unpack(bytes: Buffer): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  const archive = extract()
  archive.end(gunzipSync(bytes))
  for await (const entry of archive)
    found[entry.header.name] = Buffer.concat(await Array.fromAsync(entry, (chunk) => Buffer.from(chunk as Buffer))).toString()
  return found
}

/** Runs `change` when the content of the next upload has arrived. */
function changeDuringUpload(change: () => unknown): void {
  const { put } = context.blobs
  context.blobs.put = async (key, content) => {
    context.blobs.put = put
    await put(key, content)
    await change()
  }
}

describe('a writeup with a slow upload', () => {
  const deadline = new Date(start.getTime() + 60_000)
  type Setting = Awaited<ReturnType<typeof aPlayer>>

  test.each<[string, (scene: Setting) => unknown, string]>([
    ['the deadline passes', () => context.clock.advanceMs(61_000), 'writeup.deadline'],
    [
      'the team is suspended',
      ({ participation: { id } }) => admin.put(`/api/admin/participation/${id}/Suspended`),
      'participation.suspended',
    ],
    [
      'the user is removed from the team',
      ({ participation: { id } }) => context.sql`delete from participation_members where participation_id = ${id}`,
      'participation.required',
    ],
    [
      'the game no longer asks for writeups',
      ({ gameId }) => context.sql`update games set writeup_required = false where id = ${gameId}`,
      'writeup.not-required',
    ],
  ])('a writeup is refused if %s during its upload', async (_what, change, code) => {
    const scene = await aPlayer({ writeupDeadline: deadline })
    changeDuringUpload(() => change(scene))
    expect(outcome(await upload(scene.client, scene.url, pdf('late')))).toEqual([400, code])
    const [row] = await context.db.select().from(participations).where(eq(participations.id, scene.participation.id))
    expect(row?.writeupHash).toBeNull()
  })

  test('a writeup with a slow upload gets the time at which the upload ended', async () => {
    const { client, url, participation } = await aPlayer({ writeupDeadline: deadline })
    changeDuringUpload(() => context.clock.advanceMs(30_000))
    expect(outcome(await upload(client, url, pdf('slow')))).toBe(200)
    const [row] = await context.db.select().from(participations).where(eq(participations.id, participation.id))
    expect(row?.writeupUploadedAt).toEqual(new Date(start.getTime() + 30_000))
  })
})

describe('the state of a writeup', () => {
  test('before a team uploads a writeup, the file name in the response is `#`', async () => {
    const { client, url } = await aPlayer()
    expect((await client.get(url)).json()).toEqual({ submitted: false, name: '#', fileSize: 0, note: 'Be brief' })
  })

  test('players can read the state of the writeup after the game ends, even without practice mode', async () => {
    const { client, url } = await aPlayer({ phase: 'ended', practiceMode: false })
    expect((await client.get(url)).statusCode).toBe(200)
  })

  test('the state of the writeup contains the deadline, which players see from the start of the game', async () => {
    const { client, url, gameId } = await aPlayer({ phase: 'ended', practiceMode: false })
    const [game] = await context.db.select().from(games).where(eq(games.id, gameId))
    expect((await client.get(`${url}/deadline`)).json()).toEqual({ writeupDeadline: game?.writeupDeadline.toISOString() })
    const upcoming = await aPlayer({ phase: 'upcoming' })
    expect(outcome(await upcoming.client.get(`${upcoming.url}/deadline`))).toEqual([400, 'game.not-started'])
  })

  test('the state of the writeup is refused if the caller is not an accepted player, or the game has not started', async () => {
    const { client } = await signInAsNewUser(context)
    expect(outcome(await client.get('/api/game/999999/writeup'))).toEqual([404, 'game.unknown'])
    const before = await aGame(context.db, { phase: 'upcoming' })
    expect(outcome(await client.get(`/api/game/${before.id}/writeup`))).toEqual([400, 'participation.required'])
    const pending = await aPlayer({ phase: 'upcoming' }, 'Pending')
    expect(outcome(await pending.client.get(pending.url))).toEqual([400, 'participation.not-accepted'])
    const suspended = await aPlayer({}, 'Suspended')
    expect(outcome(await suspended.client.get(suspended.url))).toEqual([400, 'participation.suspended'])
    const early = await aPlayer({ phase: 'upcoming' })
    const refused = await early.client.get(early.url)
    expect([refused.json().status, refused.json().code]).toEqual([10001, 'game.not-started'])
    expect((await createTestClient(context.app).get(early.url)).statusCode).toBe(401)
  })
})

describe('the upload of a writeup', () => {
  test('an upload is stored under a name that contains game, team and time, and replaces the previous PDF', async () => {
    const { client, url, gameId, team } = await aPlayer()
    expect(outcome(await upload(client, url, pdf('first')))).toBe(200)
    const [date, time] = start.toISOString().slice(0, 19).split('T')
    const name = `Writeup-${gameId}-${team.id}-${date!.replaceAll('-', '')}-${time!.replaceAll(':', '.')}Z.pdf`
    expect((await client.get(url)).json()).toMatchObject({ submitted: true, name, fileSize: 14 })
    const first = createHash('sha256').update(pdf('first')).digest('hex')
    expect((await admin.get(`/assets/${first}/${name}`)).headers['content-type']).toBe('application/pdf')
    await upload(client, url, pdf('second one'))
    expect((await client.get(url)).json().fileSize).toBe(19)
    expect((await admin.get(`/assets/${first}/${name}`)).statusCode).toBe(404)
    const { title } = (await admin.get(`/api/edit/games/${gameId}`)).json()
    expect(context.logLines.map(({ message }) => message)).toContain(
      `Submitted the writeup of team "${team.name}" for "${title}"`,
    )
  })

  test('an upload is allowed for members who joined the game, but not for other members of the team', async () => {
    const mate = await signInAsNewUser(context)
    const idle = await signInAsNewUser(context)
    const team = await aTeam(context.db, { memberIds: [mate.user.id, idle.user.id] })
    const { gameId } = await aParticipation(context.db, {
      gameId: (await aGame(context.db, { writeupRequired: true })).id,
      teamId: team.id,
      memberIds: [mate.user.id],
    })
    expect(outcome(await upload(mate.client, `/api/game/${gameId}/writeup`, pdf('by a mate')))).toBe(200)
    expect(outcome(await upload(idle.client, `/api/game/${gameId}/writeup`, pdf('x')))).toEqual([400, 'participation.required'])
  })

  test('an upload is checked for type and name of the file, but not for its content', async () => {
    const { client, url } = await aPlayer()
    expect(outcome(await upload(client, url, Buffer.from('\n%PDF-1.7'), { name: 'Report.PDF' }))).toBe(200)
    expect((await client.get(url)).json()).toMatchObject({ submitted: true, fileSize: 9 })
    expect(outcome(await upload(client, url, Buffer.from('x')))).toBe(200)
    expect((await client.get(url)).json().fileSize).toBe(1)
  })

  test('an upload may have at most 20 MB', async () => {
    const { client, url } = await aPlayer()
    const largest = Buffer.alloc(20 * 1024 * 1024, 1)
    largest.write('%PDF-')
    expect(outcome(await upload(client, url, largest))).toBe(200)
    expect(outcome(await upload(client, url, Buffer.concat([largest, Buffer.from('x')])))).toEqual([400, 'file.too-large'])
  })

  test.each([
    ['another type', pdf('x'), { type: 'text/plain' }, 'writeup.format'],
    ['another extension', pdf('x'), { name: 'report.exe' }, 'writeup.format'],
    ['nothing in it', Buffer.alloc(0), {}, 'file.missing'],
  ] as const)('refuses a file with %s and stores nothing', async (_what, content, file, code) => {
    const { client, url } = await aPlayer()
    const before = context.blobs.contents.size
    expect(outcome(await upload(client, url, content, file))).toEqual([400, code])
    expect((await client.get(url)).json().submitted).toBe(false)
    expect(context.blobs.contents.size).toBe(before)
  })

  test('the upload of a writeup requires a multipart request with a file', async () => {
    const { client, url } = await aPlayer()
    expect(outcome(await client.upload('POST', url, []))).toEqual([400, 'file.missing'])
    expect((await client.post(url, {})).statusCode).toBe(415)
  })

  test('an upload is refused in a game without writeups', async () => {
    const { client, url } = await aPlayer({ writeupRequired: false })
    expect(outcome(await upload(client, url, pdf('x')))).toEqual([400, 'writeup.not-required'])
  })

  test('an upload is allowed until the deadline, even after the end of the game', async () => {
    const deadline = new Date(Date.now() + 3600_000)
    const { client, url } = await aPlayer({ phase: 'ended', practiceMode: false, writeupDeadline: deadline })
    context.clock.set(deadline)
    expect(outcome(await upload(client, url, pdf('just in time')))).toBe(200)
    context.clock.advanceMs(1)
    expect(outcome(await upload(client, url, pdf('too late')))).toEqual([400, 'writeup.deadline'])
  })

  test('only one of two concurrent uploads remains stored', async () => {
    const { client, url, participation } = await aPlayer()
    const answers = await Promise.all(['one', 'two', 'three', 'four'].map((text) => upload(client, url, pdf(text))))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200])
    const [row] = await context.db.select().from(participations).where(eq(participations.id, participation.id))
    const stored = ['one', 'two', 'three', 'four']
      .map((text) => createHash('sha256').update(pdf(text)).digest('hex'))
      .filter((hash) => context.blobs.contents.has(`files/${hash}`))
    expect(stored).toEqual([row!.writeupHash])
  })
})

describe('the collection of writeups', () => {
  test('the list of writeups is sorted newest first and contains no team members, and the archive has all writeups in one folder', async () => {
    const { id: gameId } = await aGame(context.db, { writeupRequired: true, title: '../Fi/nals' })
    const players = await Promise.all(
      ['older', 'newer'].map(async (text) => {
        const { user, client } = await signInAsNewUser(context)
        const team = await aTeam(context.db, { captainId: user.id })
        const participation = await aParticipation(context.db, { gameId, teamId: team.id })
        return { text, client, team, participation }
      }),
    )
    for (const { client, text } of players) {
      await upload(client, `/api/game/${gameId}/writeup`, pdf(text))
      context.clock.advanceMs(1000)
    }
    const list = (await admin.get(`/api/admin/writeups/${gameId}`)).json()
    expect(list.map(({ id }: { id: number }) => id)).toEqual([players[1]!.participation.id, players[0]!.participation.id])
    expect(list[0]).toMatchObject({ team: { id: players[1]!.team.id, members: null }, url: expect.stringMatching(/^\/assets\//) })
    expect((await admin.get(list[0].url)).rawPayload.equals(pdf('newer'))).toBe(true)

    const archive = await admin.get(`/api/admin/writeups/${gameId}/all`)
    expect([archive.statusCode, archive.headers['content-type']]).toEqual([200, 'application/gzip'])
    const [, base] = /filename="(.*)\.tar\.gz"/.exec(String(archive.headers['content-disposition']))!
    expect(base).toMatch(/^Writeups-\.\._Fi_nals-\d{8}-\d\d\.\d\d\.\d\dZ$/)
    const unpacked = await unpack(archive.rawPayload)
    const names = list.map(({ url }: { url: string }) => `${base}/${url.split('/').at(-1)}`)
    expect(unpacked).toEqual({ [names[0]]: pdf('newer').toString(), [names[1]]: pdf('older').toString() })
  })

  test('an admin deletes all writeups of a game with their content', async () => {
    const { client, url, gameId } = await aPlayer()
    await upload(client, url, pdf('to be deleted'))
    const [{ url: address }] = (await admin.get(`/api/admin/writeups/${gameId}`)).json()
    expect((await admin.delete(`/api/edit/games/${gameId}/writeups`)).statusCode).toBe(200)
    expect((await admin.get(address)).statusCode).toBe(404)
    expect((await client.get(url)).json().submitted).toBe(false)
    expect((await admin.get(`/api/admin/writeups/${gameId}`)).json()).toEqual([])
  })

  test('only admins can read the writeups of a game, and an unknown game returns 404', async () => {
    for (const url of ['/api/admin/writeups/999999', '/api/admin/writeups/999999/all'])
      expect(outcome(await admin.get(url))).toEqual([404, 'game.unknown'])
    expect(outcome(await admin.delete('/api/edit/games/999999/writeups'))).toEqual([404, 'game.unknown'])
    const { client } = await signInAsNewUser(context, 'Monitor')
    expect((await client.get('/api/admin/writeups/1')).statusCode).toBe(403)
    expect((await client.get('/api/admin/writeups/1/all')).statusCode).toBe(403)
    expect((await client.delete('/api/edit/games/1/writeups')).statusCode).toBe(403)
  })

  test('the download of the collection fails if the file of a writeup is missing', async () => {
    const { client, url, gameId } = await aPlayer()
    await upload(client, url, pdf('lost content'))
    context.blobs.contents.delete(`files/${createHash('sha256').update(pdf('lost content')).digest('hex')}`)
    expect(outcome(await admin.get(`/api/admin/writeups/${gameId}/all`))).toEqual([500, 'server.unexpected'])
  })
})
