import { Readable } from 'node:stream'
import { participations } from '@capstan/db/schema/games'
import { teams } from '@capstan/db/schema/teams'
import { eq } from 'drizzle-orm'
import { strFromU8, unzipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { storeFile } from '../../server/files/service.ts'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { aTeam, aUser, signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame, aParticipation, aSubmission } from '../../testing/organizing-factories.ts'

let context: TestApp
let admin: TestClient
beforeAll(async () => {
  context = await startTestApp()
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(() => context.close())

const hostile = '<img src=x>"&'

async function aWriteup(participationId: number, text: string) {
  const { hash } = await storeFile(context.deps, Readable.from([Buffer.from(text)]), 'writeup.pdf')
  await context.db
    .update(participations)
    .set({ writeupHash: hash, writeupName: 'writeup.pdf', writeupUploadedAt: new Date() })
    .where(eq(participations.id, participationId))
}

async function aFinishedGame() {
  const game = await aGame(context.db, { title: `Fi/nals ${hostile}`, content: 'Welcome **all**', phase: 'ended', bloodBonus: 0 })
  const image = await storeFile(context.deps, Readable.from([Buffer.from('a picture')]), 'map.png')
  const challenge = await aChallenge(context.db, {
    gameId: game.id,
    category: 'Web',
    title: hostile,
    content: `Look: ![map](/assets/${image.hash}/map.png) <script>1</script>`,
    hints: ['Look **closer**'],
    pricedHints: [{ id: 'ab', text: 'A secret hint', price: 10, place: 1 }],
    points: 300,
  })
  await aChallenge(context.db, { gameId: game.id, title: 'Disabled one', isEnabled: false })
  const captain = await aUser(context.db, { realName: 'Anna Real' })
  const shown = await aParticipation(context.db, {
    gameId: game.id,
    teamId: (await aTeam(context.db, { name: hostile, captainId: captain.id })).id,
  })
  const hidden = await aParticipation(context.db, {
    gameId: game.id,
    teamId: (await aTeam(context.db, { name: 'The quiet ones', captainId: (await aUser(context.db)).id })).id,
  })
  await context.db.update(teams).set({ hasPublicPage: false }).where(eq(teams.id, hidden.teamId))
  const at = (minutes: number) => new Date(game.startsAt.getTime() + minutes * 60_000)
  await aSubmission(context.db, hidden, challenge.id, { solve: true, submittedAt: at(1), answer: 'flag{secret}' })
  await aSubmission(context.db, shown, challenge.id, { solve: true, submittedAt: at(2), answer: 'flag{secret}' })
  await aWriteup(shown.id, 'how we did it')
  await aWriteup(hidden.id, 'how the quiet ones did it')
  return { game, challenge, shown, hidden, captain }
}

async function filesOf(gameId: number, query = '') {
  const response = await admin.get(`/api/edit/games/${gameId}/archive${query}`)
  expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'application/zip'])
  return new Map(Object.entries(unzipSync(response.rawPayload)).map(([path, bytes]) => [path, strFromU8(bytes)]))
}

describe('the archive of a game', () => {
  test('the archive contains no secrets, no hidden teams and no scripts', async () => {
    const { game, challenge, shown, captain } = await aFinishedGame()
    const files = await filesOf(game.id, '?writeups=all')
    const folder = [...files.keys()][0]!.split('/')[0]!
    expect(folder).toMatch(/^Fi_nals /)
    const picture = [...files.keys()].find((path) => path.endsWith('-map.png'))!
    expect([...files.keys()].map((path) => path.slice(folder.length + 1)).toSorted()).toEqual(
      [
        'challenges.html',
        `challenges/${challenge.id}.html`,
        picture.slice(folder.length + 1),
        'index.html',
        'style.css',
        'writeups.html',
        `writeups/${shown.id}.pdf`,
      ].toSorted(),
    )
    const all = [...files.values()].join('\n')
    for (const secret of [
      'flag{secret}',
      'A secret hint',
      captain.userName,
      'Anna Real',
      'quiet ones',
      'Disabled one',
      '<script',
      '<img src=x',
    ])
      expect([secret, all.includes(secret)]).toEqual([secret, false])

    const index = files.get(`${folder}/index.html`)!
    expect(index).toContain("script-src 'none'")
    expect(index).toContain('Welcome <strong>all</strong>')
    expect(index).toContain('<svg viewBox="0 0 960 320"')
    // The shown team has rank 2, because the hidden team with rank 1 is omitted.
    expect(index).toContain('<td>2</td><td><bdi>&lt;img src=x&gt;&quot;&amp;</bdi></td>')
    const page = files.get(`${folder}/challenges/${challenge.id}.html`)!
    expect(page).toContain(`<img src="../${picture.slice(folder.length + 1)}" alt="map">`)
    expect(page).toContain('Look <strong>closer</strong>')
    expect(files.get(`${folder}/writeups/${shown.id}.pdf`)).toBe('how we did it')
    expect(files.get(picture)).toBe('a picture')
  })

  test('the archive contains only the chosen writeups, and is in the language of the request', async () => {
    const { game, shown, hidden } = await aFinishedGame()
    const none = await filesOf(game.id)
    expect([...none.keys()].filter((path) => path.includes('writeup'))).toEqual([])
    const some = await filesOf(game.id, `?writeups=${shown.id},${hidden.id}`)
    expect([...some.keys()].filter((path) => path.endsWith('.pdf'))).toHaveLength(1)
    const response = await admin.inject({
      url: `/api/edit/games/${game.id}/archive`,
      headers: { 'accept-language': 'de-DE' },
    })
    const [index] = Object.entries(unzipSync(response.rawPayload)).filter(([path]) => path.endsWith('index.html'))
    expect(strFromU8(index![1])).toContain('<html lang="de-DE">')
    expect(strFromU8(index![1])).toContain('<h2>Rangliste</h2>')
  })

  test('the archive is refused with 400 before the end of the game', async () => {
    const { id } = await aGame(context.db)
    const response = await admin.get(`/api/edit/games/${id}/archive`)
    expect([response.statusCode, response.json().code]).toEqual([400, 'game.not-over'])
  })
})
