import type { CertificateWrite } from '@capstan/contract/certificates'
import { Problem } from '@capstan/contract/problems'
import { games } from '@capstan/db/schema/games'
import { eq } from 'drizzle-orm'
import { unzipSync } from 'fflate'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { aTeam, aUser, signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame, aParticipation, aSubmission } from '../../testing/organizing-factories.ts'
import { aPlayer } from '../../testing/playing-factories.ts'

let context: TestApp
let admin: TestClient
let monitor: TestClient
beforeAll(async () => {
  context = await startTestApp()
  admin = (await signInAsNewUser(context, 'Admin')).client
  monitor = (await signInAsNewUser(context, 'Monitor')).client
})
afterAll(() => context.close())

const template: CertificateWrite = {
  isEnabled: true,
  title: 'Certificate',
  text: '# {team}\n{user}\nRank {rank} with {points} points\n{division}\n{game}, {date}',
  participationText: '# {team}\ntook part in {game}',
  signer: 'The organizers',
  paper: 'A4',
  orientation: 'landscape',
  language: 'en-US',
}

/** Adds a finished game with two teams. Only the first team has a solve. */
async function aFinishedGame(write: Partial<CertificateWrite> = {}) {
  const game = await aGame(context.db, { phase: 'ended', bloodBonus: 0 })
  const challenge = await aChallenge(context.db, { gameId: game.id, points: 300 })
  const [winner, second] = [await aPlayer(context, { gameId: game.id }), await aPlayer(context, { gameId: game.id })]
  await aSubmission(context.db, winner.participation, challenge.id, {
    solve: true,
    submittedAt: new Date(game.startsAt.getTime() + 60_000),
  })
  const put = await admin.put(`/api/edit/games/${game.id}/certificate`, { ...template, ...write })
  expect(put.statusCode).toBe(200)
  return { game, winner, second }
}

function isPdf({ statusCode, rawPayload, headers }: { statusCode: number; rawPayload: Buffer; headers: object }) {
  return (
    statusCode === 200 &&
    rawPayload.subarray(0, 5).toString() === '%PDF-' &&
    (headers as Record<string, unknown>)['content-type'] === 'application/pdf'
  )
}

describe('certificate templates', () => {
  test('the template of a game is empty until an organizer stores it, and is then returned unchanged', async () => {
    const { id } = await aGame(context.db, {})
    const address = `/api/edit/games/${id}/certificate`
    expect((await admin.get(address)).json()).toMatchObject({ isEnabled: false, title: '', background: null, language: 'en-US' })
    const stored = { ...template, language: 'ja-JP', paper: 'Letter', orientation: 'portrait' }
    expect((await admin.put(address, stored)).json()).toMatchObject(stored)
    expect((await admin.get(address)).json()).toMatchObject(stored)
  })

  test('a template with an unknown placeholder is refused, and the response names the placeholder', async () => {
    const { id } = await aGame(context.db, {})
    const answer = await admin.put(`/api/edit/games/${id}/certificate`, { ...template, signer: '{captain}' })
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toMatchObject({ code: 'certificate.placeholder', title: expect.stringContaining('{captain}') })
    expect((await admin.get(`/api/edit/games/${id}/certificate`)).json()).toMatchObject({ title: '' })
  })

  test('players can see whether a game has certificates, but not the template', async () => {
    const { game } = await aFinishedGame()
    expect((await admin.get(`/api/game/${game.id}`)).json()).toMatchObject({ certificates: true })
    await admin.put(`/api/edit/games/${game.id}/certificate`, { ...template, isEnabled: false })
    expect((await admin.get(`/api/game/${game.id}`)).json()).toMatchObject({ certificates: false })
  })
})

describe('pictures of certificates', () => {
  const picture = () =>
    sharp({ create: { width: 3_000, height: 1_500, channels: 4, background: { r: 1, g: 90, b: 200, alpha: 0.5 } } })
      .png()
      .toBuffer()
  const send = (gameId: number, name: string, content: Buffer) =>
    admin.upload('PUT', `/api/edit/games/${gameId}/certificate/${name}`, [{ field: 'file', name: 'a.png', content }])

  test('pictures are stored in formats that PDF supports, reduced to the maximum size, and replace earlier pictures', async () => {
    const { game } = await aFinishedGame()
    const content = await picture()
    const { background } = (await send(game.id, 'background', content)).json()
    const { logo } = (await send(game.id, 'logo', content)).json()
    const stored = await sharp((await admin.get(background)).rawPayload).metadata()
    expect(stored).toMatchObject({ format: 'jpeg', width: 2_000, height: 1_000 })
    expect(await sharp((await admin.get(logo)).rawPayload).metadata()).toMatchObject({
      format: 'png',
      width: 800,
      hasAlpha: true,
    })
    expect(isPdf(await admin.get(`/api/edit/games/${game.id}/certificate/preview`))).toBe(true)

    const smaller = await sharp(content).resize(100).toBuffer()
    expect((await send(game.id, 'background', smaller)).json().background).not.toBe(background)
    expect((await admin.get(background)).statusCode).toBe(404)
    expect((await admin.delete(`/api/edit/games/${game.id}/certificate/logo`)).json()).toMatchObject({ logo: null })
    expect((await admin.get(logo)).statusCode).toBe(404)
  })

  test('copies of a game share its pictures, which are deleted with the last game that uses them', async () => {
    const { game } = await aFinishedGame()
    const { signature } = (await send(game.id, 'signature', await picture())).json()
    const copied = await admin.post(`/api/edit/games/${game.id}/clone`, { title: 'Copy', start: new Date().toISOString() })
    const { id } = copied.json()
    expect((await admin.get(`/api/edit/games/${id}/certificate`)).json()).toMatchObject({ ...template, signature })
    await admin.delete(`/api/edit/games/${game.id}`)
    expect((await admin.get(signature)).statusCode).toBe(200)
    await admin.delete(`/api/edit/games/${id}`)
    expect((await admin.get(signature)).statusCode).toBe(404)
  })

  test('an exported game contains the template and its pictures', async () => {
    const { game } = await aFinishedGame({ title: 'Exported' })
    await send(game.id, 'logo', await picture())
    const exported = await admin.post(`/api/edit/games/${game.id}/export`, undefined)
    const files = [{ field: 'file', name: 'game.zip', content: exported.rawPayload }]
    const imported = await admin.upload('POST', '/api/edit/games/import', files)
    const { logo, ...stored } = (await admin.get(`/api/edit/games/${imported.json()}/certificate`)).json()
    expect(stored).toMatchObject({ ...template, title: 'Exported', background: null })
    expect((await admin.get(logo)).statusCode).toBe(200)
  })
})

describe('downloads of certificates', () => {
  test('a player can download a personal certificate and a certificate of the team', async () => {
    const { game, winner } = await aFinishedGame()
    const own = await winner.client.get(`/api/game/${game.id}/certificate`)
    expect(isPdf(own)).toBe(true)
    expect(own.headers['content-disposition']).toContain('.pdf')
    expect(isPdf(await winner.client.get(`/api/game/${game.id}/certificate?team=true`))).toBe(true)
  })

  test('certificates are available only after the game, only to participants, and only if organizers enable certificates', async () => {
    const { game, winner } = await aFinishedGame()
    const stranger = (await signInAsNewUser(context)).client
    expect((await stranger.get(`/api/game/${game.id}/certificate`)).json()).toMatchObject({ code: 'participation.required' })
    await admin.put(`/api/edit/games/${game.id}/certificate`, { ...template, isEnabled: false })
    expect((await winner.client.get(`/api/game/${game.id}/certificate`)).json()).toMatchObject({ code: 'certificate.off' })
    expect(isPdf(await monitor.get(`/api/game/${game.id}/certificates/${winner.team.id}`))).toBe(true)
    await context.db
      .update(games)
      .set({ endsAt: new Date(Date.now() + 60_000) })
      .where(eq(games.id, game.id))
    for (const [client, path] of [
      [winner.client, 'certificate'],
      [monitor, `certificates/${winner.team.id}`],
      [monitor, 'certificates'],
    ] as const)
      expect((await client.get(`/api/game/${game.id}/${path}`)).json()).toMatchObject({ code: 'game.not-over' })
  })

  test('players cannot download certificates until the frozen board is revealed, but monitors can', async () => {
    const { game, winner } = await aFinishedGame()
    const freezeAt = new Date(game.endsAt.getTime() - 60_000)
    await context.db.update(games).set({ freezeAt }).where(eq(games.id, game.id))
    expect((await winner.client.get(`/api/game/${game.id}/certificate`)).json()).toMatchObject({ code: 'certificate.frozen' })
    expect((await winner.client.get(`/api/game/${game.id}`)).json()).toMatchObject({ certificates: false })
    expect(isPdf(await monitor.get(`/api/game/${game.id}/certificates/${winner.team.id}`))).toBe(true)
    await context.db.update(games).set({ revealedAt: context.clock.now() }).where(eq(games.id, game.id))
    expect(isPdf(await winner.client.get(`/api/game/${game.id}/certificate`))).toBe(true)
  })

  test('the download for an unknown team is refused', async () => {
    const { game } = await aFinishedGame()
    const answer = await monitor.get(`/api/game/${game.id}/certificates/999999`)
    expect(answer.json()).toMatchObject({ code: 'participation.unknown' })
  })

  test('monitors get equal bytes at each call, and a zip with one file per team in order of rank', async () => {
    const { game, winner, second } = await aFinishedGame()
    const address = `/api/game/${game.id}/certificates`
    const single = await monitor.get(`${address}/${winner.team.id}`)
    expect((await monitor.get(`${address}/${winner.team.id}`)).rawPayload.equals(single.rawPayload)).toBe(true)
    const files = unzipSync((await monitor.get(address)).rawPayload)
    expect(Object.keys(files)).toEqual([`1-${winner.team.name}.pdf`, `2-${second.team.name}.pdf`])
    expect(Buffer.from(Object.values(files)[0] ?? []).equals(single.rawPayload)).toBe(true)
  })

  test('the download of the zip is refused with a problem if the first certificate waits too long', async () => {
    const { game } = await aFinishedGame()
    vi.spyOn(context.app.certificates, 'draw').mockImplementationOnce(async () => {
      await context.sql`select 1`
      throw new Problem('request.rate-limited', { retryAfterSeconds: 30 })
    })
    const answer = await monitor.get(`/api/game/${game.id}/certificates`)
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, '30'])
    expect(answer.json()).toMatchObject({ code: 'request.rate-limited' })
  })

  test('the zip contains one file per team, even if team names use other scripts or cause equal file names', async () => {
    const { game } = await aFinishedGame()
    for (const name of ['فريق الأمن', 'צוות (2)', '夜鷹隊', '../../etc', '😀🚩', 'a\u202eb'])
      await aParticipation(context.db, {
        gameId: game.id,
        teamId: (await aTeam(context.db, { name, captainId: (await aUser(context.db)).id })).id,
      })
    const files = unzipSync((await monitor.get(`/api/game/${game.id}/certificates`)).rawPayload)
    expect(Object.keys(files)).toHaveLength(8)
    for (const content of Object.values(files)) expect(Buffer.from(content.subarray(0, 5)).toString()).toBe('%PDF-')
  })
})
