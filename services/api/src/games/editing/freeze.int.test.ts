import { allRights, divisionRights } from '@capstan/contract/division-rights'
import type { TeamProfile } from '@capstan/contract/profiles'
import { finalBoards, finalStandings } from '@capstan/db/schema/games'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame, aParticipation, aSubmission } from '../../testing/organizing-factories.ts'
import { aPlayer } from '../../testing/playing-factories.ts'

let context: TestApp
let admin: TestClient
let visitor: TestClient
beforeAll(async () => {
  context = await startTestApp()
  admin = (await signInAsNewUser(context, 'Admin')).client
  visitor = createTestClient(context.app)
})
afterAll(() => context.close())

/**
 * Freezes the board of a game after all changes so far. Waits until the clock is past the freeze, so that every later change
 * counts as after the freeze.
 */
async function freeze(gameId: number): Promise<void> {
  const [row] = await context.sql<{ at: string }[]>`
    update games set freeze_at = date_trunc('milliseconds', clock_timestamp()) + interval '2 ms', revealed_at = null
    where id = ${gameId} returning freeze_at as at`
  const isPast = async () => (await context.sql`select clock_timestamp() > ${row!.at} as past`)[0]?.past
  await expect.poll(isPast).toBe(true)
  context.clock.set(new Date(row!.at))
}

async function reveal(gameId: number): Promise<void> {
  await context.sql`update games set revealed_at = ${context.clock.now().toISOString()} where id = ${gameId}`
}

/** Creates a frozen game with two teams. One team took the first blood of a challenge before the freeze. */
async function aFrozenGame(values: Parameters<typeof aGame>[1] = {}) {
  const game = await aGame(context.db, values)
  const first = await aChallenge(context.db, { gameId: game.id, title: 'Windlass', flags: ['flag{first}'] })
  const second = await aChallenge(context.db, { gameId: game.id, title: 'Bollard', flags: ['flag{second}'] })
  const challengeIds = [first.id, second.id]
  const player = await aPlayer(context, { gameId: game.id, challengeIds })
  const rival = await aPlayer(context, { gameId: game.id, challengeIds })
  await player.client.post(`/api/game/${game.id}/challenges/${first.id}`, { flag: 'flag{first}' })
  await freeze(game.id)
  return { game, first, second, player, rival }
}

function setStatus(participationId: number, status: string) {
  return admin.put(`/api/admin/participation/${participationId}/${status}`)
}

test('the list of notices of a frozen game ends at the freeze, and later notices appear at the reveal', async () => {
  const { game, second, player, rival } = await aFrozenGame()
  const read = () => visitor.get(`/api/game/${game.id}/notices`)
  const before = await read()
  expect(before.json().map(({ values }: { values: string[] }) => values)).toEqual([[player.team.name, 'Windlass']])
  await rival.client.post(`/api/game/${game.id}/challenges/${second.id}`, { flag: 'flag{second}' })
  await setStatus(player.participation.id, 'Suspended')
  const during = await read()
  expect([during.body, during.headers.etag]).toEqual([before.body, before.headers.etag])
  await setStatus(player.participation.id, 'Accepted')
  await reveal(game.id)
  expect((await read()).json().map(({ values }: { values: string[] }) => values)).toEqual([
    [rival.team.name, 'Bollard'],
    [player.team.name, 'Windlass'],
  ])
})

test('a blood is not pushed to players while the board is frozen', async () => {
  const { game, second, player, rival } = await aFrozenGame()
  await rival.client.post(`/api/game/${game.id}/challenges/${second.id}`, { flag: 'flag{second}' })
  const later = await aChallenge(context.db, { gameId: game.id, title: 'Fairlead', flags: ['flag{later}'] })
  await reveal(game.id)
  await player.client.get(`/api/game/${game.id}/challenges/${later.id}`)
  await player.client.post(`/api/game/${game.id}/challenges/${later.id}`, { flag: 'flag{later}' })
  const pushed = () =>
    context.messages.flatMap((message) =>
      message.kind === 'notice' && message.gameId === game.id ? [message.payload.values] : [],
    )
  await expect.poll(pushed).toContainEqual([player.team.name, 'Fairlead'])
  expect(pushed()).toEqual([
    [player.team.name, 'Windlass'],
    [player.team.name, 'Fairlead'],
  ])
})

test('the page of a frozen game shows the numbers of teams and free places from before the freeze', async () => {
  const { game, rival } = await aFrozenGame({ teamLimit: 10 })
  const read = async () => (await visitor.get(`/api/game/${game.id}`)).json()
  const before = await read()
  expect(before).toMatchObject({ teamCount: 2, freePlaces: 8, waitingPlace: null })
  await aParticipation(context.db, { gameId: game.id })
  await setStatus(rival.participation.id, 'Rejected')
  expect(await read()).toEqual(before)
  await reveal(game.id)
  expect(await read()).toMatchObject({ teamCount: 3, freePlaces: 8 })
})

test('pending and rejected teams do not count in a frozen game, so later changes of such a team are not visible', async () => {
  const { game } = await aFrozenGame({ teamLimit: 10 })
  const pending = await aParticipation(context.db, { gameId: game.id, status: 'Pending' })
  const rejected = await aParticipation(context.db, { gameId: game.id })
  await setStatus(rejected.id, 'Rejected')
  await aParticipation(context.db, { gameId: game.id, status: 'Suspended' })
  const read = async () => (await visitor.get(`/api/game/${game.id}`)).json()
  await freeze(game.id)
  const before = await read()
  expect(before).toMatchObject({ teamCount: 3, freePlaces: 7 })
  await setStatus(rejected.id, 'Accepted')
  await context.sql`delete from participations where id = ${pending.id}`
  expect(await read()).toEqual(before)
})

test('until the reveal, the api does not show which teams joined or were suspended after the freeze', async () => {
  const { game, player } = await aFrozenGame()
  const late = await aPlayer(context, { gameId: game.id })
  await context.sql`update teams set has_public_page = false where id in ${context.sql([player.team.id, late.team.id])}`
  await setStatus(player.participation.id, 'Suspended')
  const closed = async () => (await visitor.get(`/api/profiles/games/${game.id}/closed`)).json()
  const gamesOf = async (id: number) => ((await admin.get(`/api/profiles/teams/${id}`)).json() as TeamProfile).games.length
  expect(await closed()).toEqual([player.team.id])
  expect([await gamesOf(player.team.id), await gamesOf(late.team.id)]).toEqual([1, 0])
  await reveal(game.id)
  expect(await closed()).toEqual([late.team.id])
  expect([await gamesOf(player.team.id), await gamesOf(late.team.id)]).toEqual([0, 1])
})

async function profileOf({ id }: { readonly id: number }): Promise<TeamProfile> {
  return (await visitor.get(`/api/profiles/teams/${id}`)).json()
}

test('the page of a team has the number of teams in its division, even if the division is renamed during a freeze', async () => {
  const game = await aGame(context.db, { divisions: [{ name: 'Open' }] })
  const { team } = await aPlayer(context, { gameId: game.id, division: 'Open' })
  for (let count = 1; count < 3; count += 1) await aParticipation(context.db, { gameId: game.id, division: 'Open' })
  await freeze(game.id)
  const path = `/api/edit/games/${game.id}/divisions`
  const [division] = (await admin.get(path)).json()
  await admin.put(`${path}/${division.id}`, { name: 'Pro' })
  expect((await profileOf(team)).games).toMatchObject([{ division: 'Pro', standing: { divisionRank: 1, divisionTeams: 3 } }])
})

test('the page of a team shows no division in a frozen game whose board is not built yet', async () => {
  const { team } = await aPlayer(context, { gameId: (await aGame(context.db)).id })
  for (let count = 0; count < 6; count += 1) {
    const game = await aGame(context.db, { divisions: [{ name: 'Open' }, { name: 'Student' }] })
    const { id } = await aParticipation(context.db, { gameId: game.id, teamId: team.id, division: 'Open' })
    await freeze(game.id)
    await admin.put(`/api/admin/participation/organization/${id}/Student`)
  }
  const { games } = await profileOf(team)
  // One page builds at most five boards. The sixth frozen game therefore shows no division.
  expect(games.map(({ division }) => division)).toEqual([...Array(5).fill('Open'), null, null])
})

test('the first blood skips a team whose division forbids bloods, even during a freeze', async () => {
  const game = await aGame(context.db, { divisions: [{ name: 'Guest', permissions: allRights & ~divisionRights.bloods }] })
  const challenge = await aChallenge(context.db, { gameId: game.id })
  const players = [await aPlayer(context, { gameId: game.id, division: 'Guest' }), await aPlayer(context, { gameId: game.id })]
  for (const [index, { participation }] of players.entries()) {
    const submittedAt = new Date(game.startsAt.getTime() + (index + 1) * 60_000)
    await aSubmission(context.db, participation, challenge.id, { solve: true, submittedAt })
  }
  const firstBloods = async () => {
    const pages = await Promise.all(players.map(({ team }) => profileOf(team)))
    return pages.map(({ categories }) => categories.map((category) => category.firstBloods))
  }
  expect(await firstBloods()).toEqual([[0], [1]])
  await freeze(game.id)
  expect(await firstBloods()).toEqual([[0], [1]])
  await reveal(game.id)
  expect(await firstBloods()).toEqual([[0], [1]])
})

test('a team on a frozen board can leave the game only after the reveal', async () => {
  const { game, player } = await aFrozenGame()
  await setStatus(player.participation.id, 'Rejected')
  const leave = () => player.client.delete(`/api/game/${game.id}`)
  expect((await leave()).json()).toMatchObject({ status: 400, code: 'leave.too-late' })
  await reveal(game.id)
  expect((await leave()).statusCode).toBe(200)
})

test('a captain can disband a team on a frozen board only after the reveal, even if the game has ended', async () => {
  const { game, player } = await aFrozenGame()
  await context.sql`update games set ends_at = ${context.clock.now().toISOString()} where id = ${game.id}`
  context.clock.advanceMs(1)
  const disband = () => player.client.delete(`/api/team/${player.team.id}`)
  expect((await disband()).json()).toMatchObject({ status: 400, code: 'team.locked' })
  await reveal(game.id)
  expect((await disband()).statusCode).toBe(200)
})

test('a captain can disband a team that joined after the freeze, because the frozen board does not list it', async () => {
  const { game } = await aFrozenGame()
  const late = await aPlayer(context, { gameId: game.id })
  await context.sql`update games set ends_at = ${context.clock.now().toISOString()} where id = ${game.id}`
  context.clock.advanceMs(1)
  expect((await late.client.delete(`/api/team/${late.team.id}`)).statusCode).toBe(200)
})

test('final standings and the archive of a frozen game are available only after the reveal', async () => {
  const { game, player } = await aFrozenGame()
  await context.sql`update games set ends_at = ${context.clock.now().toISOString()} where id = ${game.id}`
  const standing = { rank: 7, teams: 9, divisionRank: null, divisionTeams: null, score: 1, solved: 1, lastSolveAt: null }
  await context.db.insert(finalBoards).values({ gameId: game.id, version: 0 })
  await context.db.insert(finalStandings).values({ gameId: game.id, teamId: player.team.id, ...standing })
  const read = async () => (await visitor.get(`/api/profiles/teams/${player.team.id}`)).json() as TeamProfile
  context.clock.advanceMs(1)
  const archive = () => admin.get(`/api/edit/games/${game.id}/archive`)
  const frozen = await read()
  expect(frozen.bestRank).toBe(null)
  expect(frozen.games[0]?.standing?.rank).not.toBe(7)
  expect((await archive()).json()).toMatchObject({ status: 400, code: 'game.frozen' })
  await reveal(game.id)
  const open = await read()
  expect([open.bestRank, open.games[0]?.standing?.rank]).toEqual([7, 7])
  expect((await archive()).statusCode).toBe(200)
})

test('a freeze must be between start and end of the game, and remains unchanged if an edit omits the freeze', async () => {
  const game = await aGame(context.db)
  const [start, end] = [game.startsAt.getTime(), game.endsAt.getTime()]
  const write = { title: game.title, start: game.startsAt.toISOString(), end: game.endsAt.toISOString() }
  const put = (freeze?: number | null) =>
    admin.put(`/api/edit/games/${game.id}`, { ...write, ...(freeze !== undefined && { freeze }) })
  for (const outside of [start, end + 1]) expect((await put(outside)).json()).toMatchObject({ status: 400, code: 'game.freeze' })
  for (const inside of [start + 1, end]) expect((await put(inside)).json()).toMatchObject({ freeze: inside, revealed: null })
  expect((await put()).json().freeze).toBe(end)
  expect((await visitor.get(`/api/game/${game.id}`)).json()).toMatchObject({ freeze: end, revealed: null })
  expect((await put(null)).json().freeze).toBe(null)
})

test('a reveal is idempotent and can be undone', async () => {
  const { game } = await aFrozenGame()
  const path = `/api/edit/games/${game.id}/reveal`
  const frozen = (await admin.get(`/api/edit/games/${game.id}`)).json()
  const revealed = await admin.post(path)
  expect(revealed.json()).toEqual({ ...frozen, revealed: context.clock.now().getTime() })
  context.clock.advanceMs(1)
  expect((await admin.post(path)).json()).toEqual(revealed.json())
  expect((await admin.delete(path)).json()).toEqual(frozen)
  await admin.put(`/api/edit/games/${game.id}`, { ...frozen, freeze: null })
  expect((await admin.post(path)).json()).toMatchObject({ status: 400, code: 'game.not-frozen' })
})

test('a right answer during a freeze gets the frozen value of the challenge, without blood and bonus', async () => {
  const { game, second, rival } = await aFrozenGame()
  const value = async () => {
    const { challenges } = (await rival.client.get(`/api/game/${game.id}/details`)).json()
    return Object.values(challenges as Record<string, { id: number; score: number }[]>)
      .flat()
      .find(({ id }) => id === second.id)?.score
  }
  const verdict = (
    await rival.client.post(`/api/game/${game.id}/challenges/${second.id}/verdict`, { flag: 'flag{second}' })
  ).json()
  expect(verdict).toMatchObject({ status: 'Accepted', solve: { score: await value(), type: 'Normal' } })
})
