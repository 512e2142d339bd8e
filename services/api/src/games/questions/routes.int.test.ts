import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { Limits } from '@capstan/contract/limits'
import type { AnswerWrite, EditedQuestion, RegistrationForm, TeamAnswers } from '@capstan/contract/questions'
import { files } from '@capstan/db/schema/platform'
import { registrationAnswers, registrationFiles } from '@capstan/db/schema/questions'
import { eq } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { unzipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../../app.ts'
import { deleteUnreferencedFiles } from '../../server/files/service.ts'
import type { UploadedFile } from '../../server/files/uploads.ts'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { aTeam, signInAsNewUser } from '../../testing/factories.ts'
import { aGame } from '../../testing/organizing-factories.ts'
import { aQuestion } from '../../testing/questions.ts'
import { deleteUnusedAnswerFiles, uploadAnswerFile } from './service.ts'

let context: TestApp
let replica: FastifyInstance
let admin: TestClient
let monitor: TestClient
beforeAll(async () => {
  context = await startTestApp()
  replica = await buildApp(context.deps)
  await replica.ready()
  admin = (await signInAsNewUser(context, 'Admin')).client
  monitor = (await signInAsNewUser(context, 'Monitor')).client
})
afterAll(async () => {
  await replica.close()
  await context.close()
})

const university = aQuestion({ scope: 'Team', title: 'University', required: true })
const logo = aQuestion({ scope: 'Team', kind: 'File', title: 'Logo' })
const diet = aQuestion({ kind: 'Choice', title: 'Diet', options: ['Vegan', 'None'], required: true })
const notes = aQuestion({ kind: 'LongText', title: 'Notes' })

/** Creates a game with questions, and a team whose captain and member have not joined the game. */
async function aGameWithTeam(questions: EditedQuestion[], settings: Parameters<typeof aGame>[1] = {}) {
  const [captain, member] = [await signInAsNewUser(context), await signInAsNewUser(context)]
  const team = await aTeam(context.db, { captainId: captain.user.id, memberIds: [member.user.id] })
  const game = await aGame(context.db, { questions, acceptWithoutReview: true, ...settings })
  const join = (client: TestClient, answers?: AnswerWrite[]) =>
    client.post(`/api/game/${game.id}`, { teamId: team.id, ...(answers && { answers }) })
  return { game, team, captain, member, join, path: `/api/game/${game.id}/answers` }
}
function answer(question: EditedQuestion, ...values: string[]): AnswerWrite {
  return { questionId: question.id, values }
}

/** Returns a client that uses the same session on the second replica. */
function onReplica({ cookies }: TestClient) {
  const client = createTestClient(replica)
  for (const [name, value] of cookies) client.cookies.set(name, value)
  return client
}

async function form(client: TestClient, path: string): Promise<RegistrationForm> {
  return (await client.get(path)).json()
}
async function participationOf(gameId: number) {
  const [row] = await context.sql<{ id: number }[]>`select id from participations where game_id = ${gameId}`
  return row!.id
}
async function review(client: TestClient, gameId: number): Promise<TeamAnswers> {
  return (await client.get(`/api/game/${gameId}/participations/${await participationOf(gameId)}/answers`)).json()
}
function upload(client: TestClient, path: string, content: string, name = 'logo.svg') {
  return client.upload('POST', `${path}/files`, [{ field: 'file', name, type: 'image/svg+xml', content: Buffer.from(content) }])
}
async function answersIn(gameId: number) {
  return context.db.select().from(registrationAnswers).where(eq(registrationAnswers.gameId, gameId))
}

describe('joining a game with questions', () => {
  test('a join stores the answers of captain and members, and only permitted users can read them', async () => {
    const { game, captain, member, join, path } = await aGameWithTeam([university, diet, notes])
    expect((await join(captain.client, [answer(university, ' ETH '), answer(diet, 'Vegan')])).statusCode).toBe(200)
    expect((await join(member.client, [answer(diet, 'None'), answer(notes, 'a\nb')])).statusCode).toBe(200)
    expect(await form(captain.client, path)).toMatchObject({
      isCaptain: true,
      isOpen: true,
      missing: [],
      answers: [
        { questionId: university.id, values: ['ETH'], file: null },
        { questionId: diet.id, values: ['Vegan'] },
      ],
    })
    const ofMember = await form(member.client, path)
    expect(ofMember.isCaptain).toBe(false)
    expect(ofMember.answers.map(({ values }) => values)).toEqual([['None'], ['a\nb']])
    const stranger = await form((await signInAsNewUser(context)).client, path)
    expect([stranger.questions.length, stranger.answers, stranger.missing]).toEqual([3, [], []])
    const reviewed = await review(monitor, game.id)
    expect(reviewed).toMatchObject({ answers: [{ values: ['ETH'] }], missing: [] })
    expect(reviewed.members.map(({ answers }) => answers.length).toSorted()).toEqual([1, 2])
    expect(
      (await member.client.get(`/api/game/${game.id}/participations/${await participationOf(game.id)}/answers`)).statusCode,
    ).toBe(403)
  })

  test('a join without answers is refused if the team must answer, and accepted otherwise', async () => {
    const { captain, member, join } = await aGameWithTeam([university])
    const refused = await join(captain.client)
    expect([refused.statusCode, refused.json()]).toMatchObject([400, { status: 400, code: 'join.team-answers' }])
    expect((await join(member.client)).json().code).toBe('join.captain-answers')
    expect((await join(member.client, [answer(university, 'ETH')])).json().code).toBe('answer.captain')
    expect((await join(captain.client, [answer(university, 'ETH')])).statusCode).toBe(200)
    expect((await join(member.client)).statusCode).toBe(200)

    const other = await aGameWithTeam([diet, notes])
    expect((await other.join(other.captain.client)).statusCode).toBe(200)
    expect((await form(other.captain.client, other.path)).missing).toEqual([diet.id])
    expect((await other.captain.client.get(`/api/game/${other.game.id}`)).json()).toMatchObject({
      questions: 2,
      missingAnswers: 1,
    })
    expect((await admin.get(`/api/game/${other.game.id}/participations`)).json()).toMatchObject([{ missingAnswers: 1 }])
  })

  test('a join is refused if a required question has no answer, and the response contains the first such question', async () => {
    const { game, captain, join } = await aGameWithTeam([university, diet])
    const refused = await join(captain.client, [answer(university, 'ETH')])
    expect([refused.statusCode, refused.json()]).toMatchObject([400, { code: 'answer.required', title: 'Please answer: Diet' }])
    const invalid = await join(captain.client, [answer(university, 'ETH'), answer(diet, 'Fish')])
    expect([invalid.statusCode, invalid.json().code]).toEqual([400, 'answer.invalid'])
    const unknown = await join(captain.client, [{ questionId: randomUUID(), values: ['x'] }])
    expect([unknown.statusCode, unknown.json().code]).toEqual([404, 'question.unknown'])
    expect([await answersIn(game.id), (await captain.client.get(`/api/game/${game.id}`)).json().status]).toEqual([
      [],
      'Unsubmitted',
    ])
  })

  test('a team that joins again after a rejection retains its answers', async () => {
    const { game, captain, join, path } = await aGameWithTeam([university, diet])
    await join(captain.client, [answer(university, 'ETH'), answer(diet, 'Vegan')])
    await admin.put(`/api/admin/participation/${await participationOf(game.id)}/Rejected`)
    expect((await join(captain.client)).statusCode).toBe(200)
    expect((await form(captain.client, path)).answers.map(({ values }) => values)).toEqual([['ETH'], ['Vegan']])
  })

  test('64 parallel joins on two replicas store each answer once', async () => {
    const game = await aGame(context.db, { questions: [university, diet], acceptWithoutReview: true, teamLimit: 20 })
    const entrants = await Promise.all(
      Array.from({ length: 16 }, async () => {
        const { user, client } = await signInAsNewUser(context)
        return { client, other: onReplica(client), team: await aTeam(context.db, { captainId: user.id }) }
      }),
    )
    const answers = [answer(university, 'ETH'), answer(diet, 'Vegan')]
    const codes = await Promise.all(
      entrants.flatMap(({ client, other, team }) =>
        [client, other, client, other].map(
          async (each) => (await each.post(`/api/game/${game.id}`, { teamId: team.id, answers })).statusCode,
        ),
      ),
    )
    expect(codes.filter((code) => code === 200)).toHaveLength(16)
    expect(codes.filter((code) => code === 400)).toHaveLength(48)
    expect(await answersIn(game.id)).toHaveLength(32)
  })
})

describe('given answers', () => {
  test('answers can change until the registration closes, and afterwards only missing answers can be added', async () => {
    const { game, captain, join, path } = await aGameWithTeam([university, diet, notes])
    await join(captain.client, [answer(university, 'ETH'), answer(diet, 'Vegan')])
    const changed = await captain.client.put(path, { answers: [answer(diet, 'None'), answer(notes, 'Late')] })
    expect([changed.statusCode, changed.json().answers.length]).toEqual([200, 3])
    expect((await captain.client.put(path, { answers: [answer(notes)] })).json().answers).toHaveLength(2)
    expect((await captain.client.put(path, { answers: [answer(diet)] })).json().code).toBe('answer.required')
    await context.sql`update games set registration_closes_at = now() - interval '1 hour' where id = ${game.id}`
    expect((await captain.client.put(path, { answers: [answer(diet, 'Vegan')] })).json().code).toBe('answer.closed')
    const late = await captain.client.put(path, { answers: [answer(diet, 'None'), answer(notes, 'Later')] })
    expect([late.statusCode, late.json().isOpen, late.json().answers.length]).toEqual([200, false, 3])
  })

  test('only members in the game can answer, and only the captain can answer for the team', async () => {
    const { captain, member, join, path } = await aGameWithTeam([university])
    expect((await captain.client.put(path, { answers: [answer(university, 'ETH')] })).json().code).toBe('participation.required')
    await join(captain.client, [answer(university, 'ETH')])
    await join(member.client)
    expect((await member.client.put(path, { answers: [answer(university, 'EPFL')] })).json().code).toBe('answer.captain')
  })

  test('answers are deleted with the membership and with the team', async () => {
    const { game, team, captain, member, join } = await aGameWithTeam([university, diet], { acceptWithoutReview: false })
    await join(captain.client, [answer(university, 'ETH'), answer(diet, 'Vegan')])
    await join(member.client, [answer(diet, 'None')])
    expect(await answersIn(game.id)).toHaveLength(3)
    expect((await member.client.delete(`/api/game/${game.id}`)).statusCode).toBe(200)
    expect(await answersIn(game.id)).toHaveLength(2)
    expect((await admin.delete(`/api/admin/teams/${team.id}`)).statusCode).toBe(200)
    expect(await answersIn(game.id)).toEqual([])
  })

  test('the log contains no answers', async () => {
    const { captain, join, path } = await aGameWithTeam([university])
    context.logLines.splice(0)
    await join(captain.client, [answer(university, 'a-secret-university')])
    await captain.client.put(path, { answers: [answer(university, 'a-secret-university-2')] })
    expect(JSON.stringify(context.logLines)).not.toContain('a-secret-university')
  })
})

describe('files that players upload as answers', () => {
  test('files are served as downloads, and only to the captain, monitors and admins', async () => {
    const { game, captain, member, join, path } = await aGameWithTeam([logo])
    const uploaded = await upload(captain.client, path, '<svg onload="x"/>')
    expect([uploaded.statusCode, uploaded.json()]).toMatchObject([200, { name: 'logo.svg', sizeBytes: 17 }])
    const { id } = uploaded.json()
    expect((await monitor.get(`${path}/files/${id}`)).statusCode).toBe(404)
    expect((await join(member.client, [])).statusCode).toBe(200)
    expect((await join(captain.client, [{ questionId: logo.id, fileId: id }])).statusCode).toBe(200)
    for (const reader of [captain.client, monitor, admin]) {
      const { statusCode, headers, body } = await reader.get(`${path}/files/${id}`)
      expect([statusCode, headers['content-type'], body]).toEqual([200, 'application/octet-stream', '<svg onload="x"/>'])
      expect([headers['content-disposition'], headers['cache-control']]).toEqual([
        'attachment; filename="logo.svg"',
        'private, no-store',
      ])
    }
    expect((await member.client.get(`${path}/files/${id}`)).statusCode).toBe(404)
    expect((await captain.client.get(`/api/game/${game.id + 1}/answers/files/${id}`)).statusCode).toBe(404)
    expect((await form(captain.client, path)).answers).toMatchObject([{ values: [], file: { id, name: 'logo.svg' } }])
  })

  test('other users cannot use an uploaded file, and a replaced file is deleted', async () => {
    const { captain, join, path } = await aGameWithTeam([logo])
    const stolen = await upload((await signInAsNewUser(context)).client, path, 'stolen file')
    const refused = await join(captain.client, [{ questionId: logo.id, fileId: stolen.json().id }])
    expect([refused.statusCode, refused.json().code]).toEqual([400, 'answer.file'])
    const first = (await upload(captain.client, path, 'first logo')).json()
    await join(captain.client, [{ questionId: logo.id, fileId: first.id }])
    const second = (await upload(captain.client, path, 'second logo')).json()
    const replaced = await captain.client.put(path, { answers: [{ questionId: logo.id, fileId: second.id }] })
    expect([replaced.statusCode, replaced.json().answers[0].file.id]).toEqual([200, second.id])
    expect((await captain.client.get(`${path}/files/${first.id}`)).statusCode).toBe(404)
    const stored = await context.db.select().from(files).where(eq(files.sizeBytes, 'first logo'.length))
    expect(stored).toEqual([])
  })

  test('files are deleted with the team, or after a day if no answer uses them', async () => {
    const { game, team, captain, join, path } = await aGameWithTeam([logo])
    const used = (await upload(captain.client, path, 'a file that the team uses')).json()
    await upload(captain.client, path, 'an unused file of a player')
    await join(captain.client, [{ questionId: logo.id, fileId: used.id }])
    await deleteUnusedAnswerFiles(context.deps)
    const rows = () => context.db.select().from(registrationFiles).where(eq(registrationFiles.gameId, game.id))
    expect(await rows()).toHaveLength(2)
    await context.sql`update registration_files set uploaded_at = now() - interval '25 hours' where game_id = ${game.id}`
    await deleteUnusedAnswerFiles(context.deps)
    expect(await rows()).toMatchObject([{ id: used.id }])
    await admin.delete(`/api/admin/teams/${team.id}`)
    expect(await rows()).toEqual([])
    await deleteUnreferencedFiles(context.deps)
    expect(await context.db.select().from(files).where(eq(files.sizeBytes, 'a file that the team uses'.length))).toEqual([])
  })

  const fileOf = (question: EditedQuestion, fileId: string): AnswerWrite => ({ questionId: question.id, fileId })
  type Setting = Awaited<ReturnType<typeof aGameWithTeam>>

  test.each<[string, (scene: Setting) => Promise<unknown>]>([
    ['the captain leaves the game', ({ game, captain }) => captain.client.delete(`/api/game/${game.id}`)],
    ['the captain replaces the file', async ({ captain, path }) => captain.client.put(path, { answers: [answer(logo)] })],
    [
      'the captain joins without the file after a rejection',
      async ({ game, captain, join }) => {
        await admin.put(`/api/admin/participation/${await participationOf(game.id)}/Rejected`)
        return join(captain.client, [answer(logo)])
      },
    ],
    ['an admin deletes the team', ({ team }) => admin.delete(`/api/admin/teams/${team.id}`)],
    ['an admin deletes the game', ({ game }) => admin.delete(`/api/edit/games/${game.id}`)],
  ])('the content of a file in an answer of a team is deleted at once if %s', async (_what, remove) => {
    const scene = await aGameWithTeam([logo], { acceptWithoutReview: false })
    const { captain, join, path } = scene
    const { id } = (await upload(captain.client, path, `<svg>${randomUUID()}</svg>`)).json()
    const before = context.blobs.contents.size
    expect((await join(captain.client, [fileOf(logo, id)])).statusCode).toBe(200)
    expect(await remove(scene)).toMatchObject({ statusCode: 200 })
    expect(context.blobs.contents.size).toBe(before - 1)
  })

  test.each<[string, (scene: Setting) => Promise<unknown>]>([
    ['leaves the game', ({ game, member }) => member.client.delete(`/api/game/${game.id}`)],
    ['leaves the team', ({ team, member }) => member.client.post(`/api/team/${team.id}/leave`)],
    [
      'is removed from the team',
      ({ team, captain, member }) => captain.client.post(`/api/team/${team.id}/kick/${member.user.id}`),
    ],
    ['is deleted', ({ member }) => admin.delete(`/api/admin/users/${member.user.id}`)],
    [
      'joins with another team after a rejection',
      async ({ game, member }) => {
        await admin.put(`/api/admin/participation/${await participationOf(game.id)}/Rejected`)
        const other = await aTeam(context.db, { captainId: member.user.id })
        return member.client.post(`/api/game/${game.id}`, { teamId: other.id })
      },
    ],
  ])('the content of a file in an answer of a member is deleted at once if the member %s', async (_what, remove) => {
    const portrait = aQuestion({ kind: 'File', title: 'Portrait' })
    const scene = await aGameWithTeam([portrait], { acceptWithoutReview: false })
    const { captain, member, join, path } = scene
    await join(captain.client)
    const { id } = (await upload(member.client, path, `<svg>${randomUUID()}</svg>`)).json()
    const before = context.blobs.contents.size
    expect((await join(member.client, [fileOf(portrait, id)])).statusCode).toBe(200)
    expect(await remove(scene)).toMatchObject({ statusCode: 200 })
    expect(context.blobs.contents.size).toBe(before - 1)
  })

  test.each<[string, Parameters<typeof aGame>[1], string]>([
    ['is over', { phase: 'ended', practiceMode: false }, 'game.ended'],
    ['has not opened its registration', { registrationOpensAt: new Date(Date.now() + 3_600_000) }, 'join.not-open'],
    ['has closed its registration', { registrationClosesAt: new Date(Date.now() - 3_600_000) }, 'join.closed'],
  ])('a user who has not joined cannot upload a file for a game that %s', async (_what, settings, code) => {
    const { captain, path } = await aGameWithTeam([logo], settings)
    const refused = await upload(captain.client, path, 'file')
    expect([refused.statusCode, refused.json().code]).toEqual([400, code])
  })

  test('after the registration has closed, a captain can upload a file until the question is answered', async () => {
    const { game, captain, member, join, path } = await aGameWithTeam([logo])
    await join(captain.client)
    await join(member.client)
    await context.sql`update games set registration_closes_at = now() - interval '1 hour' where id = ${game.id}`
    expect((await upload(member.client, path, 'by a member')).json().code).toBe('answer.closed')
    const { id } = (await upload(captain.client, path, 'late')).json()
    expect((await captain.client.put(path, { answers: [fileOf(logo, id)] })).statusCode).toBe(200)
    expect((await upload(captain.client, path, 'later')).json().code).toBe('answer.closed')
  })

  test('an upload is refused if the registration closes before the end of the upload', async () => {
    const { game, captain, path } = await aGameWithTeam([logo])
    const { put } = context.blobs
    context.blobs.put = async (key, content) => {
      context.blobs.put = put
      await put(key, content)
      await context.sql`update games set registration_closes_at = now() - interval '1 hour' where id = ${game.id}`
    }
    const before = context.blobs.contents.size
    expect((await upload(captain.client, path, 'slow')).json().code).toBe('join.closed')
    expect(context.blobs.contents.size).toBe(before)
  })

  test('if a user has too many unused files, an upload deletes the oldest unused file', async () => {
    const { captain, path, join } = await aGameWithTeam([logo, aQuestion({ kind: 'File', title: 'Portrait' })])
    const other = await aGameWithTeam([logo])
    const next = async (to: string, content: string): Promise<string> => {
      context.clock.advanceMs(1)
      const uploaded = await upload(captain.client, to, content)
      expect(uploaded.statusCode).toBe(200)
      return uploaded.json().id
    }
    const used = await next(path, 'used')
    await join(captain.client, [fileOf(logo, used)])
    const ofOtherGame = await next(other.path, 'for another game')
    const before = context.blobs.contents.size
    const [oldest, ...kept] = await Array.fromAsync({ length: 7 }, (_, index) => next(path, `choice ${index}`))
    const rows = await context.db.select().from(registrationFiles).where(eq(registrationFiles.uploaderId, captain.user.id))
    expect(rows.map(({ id }) => id).toSorted()).toEqual([used, ofOtherGame, ...kept].toSorted())
    expect(context.blobs.contents.size).toBe(before + 6)
    const refused = await captain.client.put(path, { answers: [fileOf(logo, oldest!)] })
    expect([refused.statusCode, refused.json().code]).toEqual([400, 'answer.file'])
    expect((await captain.client.put(path, { answers: [fileOf(logo, kept[0]!)] })).statusCode).toBe(200)
  })

  test('if the unused files of a game are too large in total, the users with the most bytes lose their unused files', async () => {
    const { game, captain, member, path, join } = await aGameWithTeam([logo])
    const [greedy, other] = [await signInAsNewUser(context), await aGameWithTeam([logo])]
    const send = async (client: TestClient, to: string, bytes: number) =>
      (await upload(client, to, String(bytes).padEnd(bytes))).json().id as string
    const used = await send(captain.client, path, 90)
    await join(captain.client, [fileOf(logo, used)])
    const elsewhere = await send(greedy.client, other.path, 80)
    const ofMember = await send(member.client, path, 30)
    await send(greedy.client, path, 20)
    await send(greedy.client, path, 25)
    const file: UploadedFile = {
      fileName: 'logo.svg',
      contentType: 'image/svg+xml',
      content: Readable.from([Buffer.from('of the captain, 25 bytes.')]),
      isTooLarge: () => false,
    }
    const { id: ofCaptain } = await uploadAnswerFile(context.deps, game.id, captain.user.id, file, 60)
    const rows = await context.db.select({ id: registrationFiles.id }).from(registrationFiles)
    const ids = rows.map(({ id }) => id)
    expect(ids).toEqual(expect.arrayContaining([used, elsewhere, ofMember, ofCaptain]))
    expect(await context.db.$count(registrationFiles, eq(registrationFiles.uploaderId, greedy.user.id))).toBe(1)
  })

  test('all file questions of a form can be answered with the largest files', async () => {
    const questions = Array.from({ length: 4 }, (_, index) =>
      aQuestion({ kind: 'File', title: `Document ${index}`, required: true }),
    )
    const { captain, path, join } = await aGameWithTeam(questions)
    const answers = await Array.fromAsync(questions, async (question, index) => {
      const content = String(index).repeat(Limits.maxAnswerFileBytes)
      return fileOf(question, (await upload(captain.client, path, content)).json().id)
    })
    expect((await join(captain.client, answers)).statusCode).toBe(200)
  })

  test('uploads are limited in size, and refused if no question asks for a file', async () => {
    const { captain, path } = await aGameWithTeam([logo])
    const large = await upload(captain.client, path, 'x'.repeat(10 * 1024 * 1024 + 1))
    expect([large.statusCode, large.json().code]).toEqual([400, 'file.too-large'])
    expect((await upload(captain.client, path, '')).json().code).toBe('file.missing')
    const other = await aGameWithTeam([diet])
    expect((await upload(other.captain.client, other.path, 'file')).json().code).toBe('question.unknown')
  })
})

describe('exports of answers', () => {
  test('the table of an export has a row for each member, and the archive contains the files under the paths in the table', async () => {
    const { game, team, captain, member, join, path } = await aGameWithTeam([university, logo, diet])
    const { id } = (await upload(captain.client, path, 'a logo', '../=logo.svg')).json()
    await join(captain.client, [answer(university, '=1+1'), { questionId: logo.id, fileId: id }, answer(diet, 'Vegan')])
    await join(member.client)
    const base = `/api/game/${game.id}/participations/answers`
    const csv = await monitor.get(`${base}.csv`)
    const [header, ...rows] = csv.body.replace('\uFEFF', '').trim().split('\r\n')
    expect(header).toBe('"Team","Division","Status","User","University","Logo","Diet"')
    const file = `${team.id} ${team.name}/=logo.svg`
    expect(rows.toSorted()).toEqual(
      [
        `"${team.name}",,"Accepted","${captain.user.userName}","'=1+1","${file}","Vegan"`,
        `"${team.name}",,"Accepted","${member.user.userName}","'=1+1","${file}",`,
      ].toSorted(),
    )
    const zip = unzipSync((await monitor.get(`${base}.zip`)).rawPayload)
    expect(Object.entries(zip).map(([name, content]) => [name, Buffer.from(content).toString()])).toEqual([[file, 'a logo']])
    const sheet = unzipSync((await admin.get(`${base}.xlsx`)).rawPayload)
    expect(Object.keys(sheet)).toContain('xl/workbook.xml')
    expect((await captain.client.get(`${base}.csv`)).statusCode).toBe(403)
  })
})

describe('the questions of a game', () => {
  async function update(gameId: number, questions: object[]) {
    const stored: object = (await admin.get(`/api/edit/games/${gameId}`)).json()
    return admin.put(`/api/edit/games/${gameId}`, { ...stored, questions })
  }

  test('a write without a question list changes no questions, and a write with a question list removes the questions that the list omits', async () => {
    const { game, captain, join } = await aGameWithTeam([university, diet])
    await join(captain.client, [answer(university, 'ETH'), answer(diet, 'Vegan')])
    const { questions: _, ...old } = (await admin.get(`/api/edit/games/${game.id}`)).json()
    expect((await admin.put(`/api/edit/games/${game.id}`, old)).json().questions).toEqual([university, diet])
    const changed = await update(game.id, [notes])
    expect(changed.json().questions).toEqual([notes, { ...university, archived: true }, { ...diet, archived: true }])
    expect((await review(admin, game.id)).answers).toMatchObject([{ values: ['ETH'] }])
    expect((await captain.client.get(`/api/game/${game.id}`)).json()).toMatchObject({ questions: 1, missingAnswers: 0 })
    expect((await update(game.id, [university, diet])).json().questions).toEqual([university, diet])
    const refused = await update(game.id, [{ ...university, kind: 'LongText' }, diet])
    expect([refused.statusCode, refused.json().code]).toEqual([400, 'question.answered'])
    const invalid = await update(game.id, [university, { ...university, id: undefined, kind: 'LongText' }])
    expect([invalid.statusCode, invalid.json().code]).toEqual([400, 'game.questions'])
  })

  test('a copy of the game has the questions but no answers', async () => {
    const { game, captain, join } = await aGameWithTeam([university, { ...diet, archived: true }])
    await join(captain.client, [answer(university, 'ETH')])
    const copy = await admin.post(`/api/edit/games/${game.id}/clone`, { title: 'Copy', start: new Date().toISOString() })
    expect(copy.json().questions).toEqual([university])
    expect(await answersIn(copy.json().id)).toEqual([])
  })
})
