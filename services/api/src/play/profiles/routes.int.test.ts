import { allRights, divisionRights } from '@capstan/contract/division-rights'
import type { ProfileGame, TeamProfile, UserProfilePage } from '@capstan/contract/profiles'
import { users } from '@capstan/db/schema/accounts'
import { challenges } from '@capstan/db/schema/challenges'
import { finalStandings, games, participations } from '@capstan/db/schema/games'
import { teams } from '@capstan/db/schema/teams'
import { eq, inArray, sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { aTeam, aUser, signInAsNewUser } from '../../testing/factories.ts'
import { waitForOlderTransactions } from '../../testing/older-transactions.ts'
import { aChallenge, aGame, aParticipation, aSubmission } from '../../testing/organizing-factories.ts'
import { createStandingsWriter } from './standings-writer.ts'

let statements: string[] = []
const warnings: unknown[] = []
let context: TestApp
let visitor: TestClient
beforeAll(async () => {
  context = await startTestApp({ observe: (text) => void statements.push(text) })
  visitor = createTestClient(context.app)
})
afterAll(() => context.close())

const hourMs = 3_600_000
function ago(hours: number) {
  return new Date(Date.now() - hours * hourMs)
}

async function teamPage(id: number, client = visitor, query = ''): Promise<TeamProfile> {
  return (await client.get(`/api/profiles/teams/${id}${query}`)).json()
}
async function userPage(id: string, client = visitor): Promise<UserProfilePage> {
  return (await client.get(`/api/profiles/users/${id}`)).json()
}
async function codeOf(path: string, client = visitor): Promise<[number, string | undefined]> {
  const answer = await client.get(`/api/profiles/${path}`)
  return [answer.statusCode, answer.json().code]
}
function titlesOf({ games: list }: { readonly games: readonly ProfileGame[] }) {
  return list.map(({ title }) => title)
}

function createKeeper() {
  return createStandingsWriter({
    ...context.deps,
    scoreboards: context.app.scoreboards,
    log: { warn: (fields) => void warnings.push(fields) },
  })
}

/** Stores the standings of all games that are over. */
function storeResults() {
  return createKeeper().run()
}

/** Creates a team with its captain and a team mate, both signed in. */
async function aCrew() {
  const [captain, mate] = [await signInAsNewUser(context), await signInAsNewUser(context)]
  const team = await aTeam(context.db, { captainId: captain.user.id, memberIds: [mate.user.id] })
  return { captain, mate, team, ids: [captain.user.id, mate.user.id] }
}
type Crew = Awaited<ReturnType<typeof aCrew>>

/** Creates a game that the given team has joined. The captain has solved a challenge of each given category. */
async function plays(
  { team, ids, captain }: Crew,
  { categories = [], solvedAt, ...values }: { categories?: string[]; solvedAt?: Date } & Parameters<typeof aGame>[1] = {},
  taken: Partial<typeof participations.$inferInsert> = {},
) {
  const game = await aGame(context.db, { divisions: [{ name: 'open' }], ...values })
  const participation = await aParticipation(context.db, { ...taken, gameId: game.id, teamId: team.id, memberIds: ids })
  const solved = []
  for (const category of categories) {
    const challenge = await aChallenge(context.db, { gameId: game.id, category, title: `${category} of ${game.title}` })
    await aSubmission(context.db, participation, challenge.id, {
      userId: captain.user.id,
      solve: true,
      submittedAt: solvedAt ?? new Date(game.startsAt.getTime() + 60_000),
    })
    solved.push(challenge)
  }
  return { game, participation, solved }
}

const ended = { startsAt: ago(5), endsAt: ago(3) }

test('the page of a team shows the same standing in a running game as the scoreboard', async () => {
  const [crew, rivals] = [await aCrew(), await aCrew()]
  const { game, solved } = await plays(crew, { title: 'Regatta', categories: ['Web', 'Crypto'] }, { division: 'open' })
  const rival = await aParticipation(context.db, { gameId: game.id, teamId: rivals.team.id, division: 'open' })
  await aParticipation(context.db, { gameId: game.id })
  for (const [minutes, challenge] of [[0.5, solved[0]!] as const, [5, solved[1]!] as const])
    await aSubmission(context.db, rival, challenge.id, {
      solve: true,
      submittedAt: new Date(game.startsAt.getTime() + minutes * 60_000),
    })

  const board = (await visitor.get(`/api/game/${game.id}/scoreboard`)).json()
  const row = board.items.find(({ id }: { id: number }) => id === crew.team.id)
  const page = await teamPage(crew.team.id)
  expect(page.games).toEqual([
    {
      id: game.id,
      title: 'Regatta',
      start: game.startsAt.toISOString(),
      end: game.endsAt.toISOString(),
      division: 'open',
      team: { id: crew.team.id, name: crew.team.name, avatar: null },
      standing: {
        rank: row.rank,
        teams: 3,
        divisionRank: row.organizationRank,
        divisionTeams: 2,
        score: row.score,
        solved: 2,
        lastSolveTime: row.lastSubmissionTime,
      },
    },
  ])
  // The other team has the first blood only in Web, and no game has finished.
  expect(page.categories).toEqual([
    { category: 'Crypto', solves: 1, firstBloods: 1 },
    { category: 'Web', solves: 1, firstBloods: 0 },
  ])
  expect([page.gameCount, page.bestRank]).toEqual([1, null])
  expect(page.members).toEqual([
    { id: crew.captain.user.id, userName: crew.captain.user.userName, avatar: null, captain: true, hasPublicPage: true },
    { id: crew.mate.user.id, userName: crew.mate.user.userName, avatar: null, captain: false, hasPublicPage: true },
  ])
  const player = await userPage(crew.captain.user.id)
  expect([player.games, player.categories]).toEqual([page.games, page.categories])
  expect(player.teams).toEqual([{ id: crew.team.id, name: crew.team.name, avatar: null }])
  // The team mate has joined but solved no challenge.
  const mate = await userPage(crew.mate.user.id)
  expect([titlesOf(mate), mate.categories]).toEqual([['Regatta'], []])
})

test('stores the standings of a finished game from its scoreboard, and updates them after a change', async () => {
  const [crew, rivals] = [await aCrew(), await aCrew()]
  const { game, solved } = await plays(crew, { ...ended, title: 'Over', categories: ['Pwn'] }, { division: 'open' })
  const rival = await aParticipation(context.db, { gameId: game.id, teamId: rivals.team.id, division: 'open' })
  await aSubmission(context.db, rival, solved[0]!.id, { solve: true, submittedAt: new Date(game.startsAt.getTime() + 30_000) })
  await waitForOlderTransactions(context)
  await storeResults()
  expect(warnings).toEqual([])
  const standing = async () => (await teamPage(crew.team.id)).games[0]?.standing
  const row = (await visitor.get(`/api/game/${game.id}/scoreboard`))
    .json()
    .items.find(({ id }: { id: number }) => id === crew.team.id)
  expect(await standing()).toEqual({
    rank: 2,
    teams: 2,
    divisionRank: 2,
    divisionTeams: 2,
    score: row.score,
    solved: 1,
    lastSolveTime: row.lastSubmissionTime,
  })
  expect((await teamPage(crew.team.id)).bestRank).toBe(2)

  const stored = () =>
    context.db.select({ version: sql`xmin::text` }).from(finalStandings).where(eq(finalStandings.gameId, game.id))
  const before = await stored()
  await storeResults()
  expect(await stored()).toEqual(before)

  await context.db.update(participations).set({ status: 'Suspended' }).where(eq(participations.id, rival.id))
  await storeResults()
  expect(await standing()).toMatchObject({ rank: 1, teams: 1, divisionRank: 1, divisionTeams: 1 })
  expect((await teamPage(rivals.team.id)).games).toEqual([])
})

test('a page reads first bloods from the board during a game, and from the stored standings after its end', async () => {
  const [crew, rivals] = [await aCrew(), await aCrew()]
  const divisions = [{ name: 'open' }, { name: 'Guest', permissions: allRights & ~divisionRights.bloods }]
  const { game, solved } = await plays(crew, { ...ended, divisions, categories: ['Web', 'Crypto'] }, { division: 'open' })
  const at = (minutes: number) => new Date(game.startsAt.getTime() + minutes * 60_000)
  const guest = await aParticipation(context.db, { gameId: game.id, division: 'Guest' })
  const rival = await aParticipation(context.db, { gameId: game.id, teamId: rivals.team.id, division: 'open' })
  for (const { id } of solved) await aSubmission(context.db, guest, id, { solve: true, submittedAt: at(0.1) })
  await aSubmission(context.db, rival, solved[0]!.id, { solve: true, submittedAt: at(0.5) })
  const expected = [
    { category: 'Crypto', solves: 1, firstBloods: 1 },
    { category: 'Web', solves: 1, firstBloods: 0 },
  ]
  const shown = async () => [(await teamPage(crew.team.id)).categories, (await userPage(crew.captain.user.id)).categories]
  const stored = async () => {
    const [row] =
      await context.sql`select first_bloods from final_standings where game_id = ${game.id} and team_id = ${crew.team.id}`
    return row?.first_bloods
  }
  expect(await shown()).toEqual([expected, expected])
  await storeResults()
  expect(await stored()).toEqual([solved[1]!.id])
  expect(await shown()).toEqual([expected, expected])
  expect((await userPage(crew.mate.user.id)).categories).toEqual([])

  // An earlier version of the platform stored standings without first bloods.
  await context.sql`update final_standings set first_bloods = null where game_id = ${game.id}`
  expect(await shown()).toEqual([expected, expected])
  await storeResults()
  expect(await stored()).toEqual([solved[1]!.id])
  await context.sql`update final_standings set first_bloods = '{}' where game_id = ${game.id}`
  expect(await shown()).toEqual(Array(2).fill(expected.map((row) => ({ ...row, firstBloods: 0 }))))
})

test('a game in which a team has no rank does not count for the best rank', async () => {
  const crew = await aCrew()
  const divisions = [{ name: 'Guest', permissions: allRights & ~divisionRights.rank }]
  await plays(crew, { ...ended, divisions }, { division: 'Guest' })
  await storeResults()
  const { bestRank, games: list } = await teamPage(crew.team.id)
  expect([bestRank, list[0]?.standing?.rank]).toEqual([null, 0])
  await plays(crew, ended)
  await storeResults()
  expect((await teamPage(crew.team.id)).bestRank).toBe(1)
})

test('the deletion of a team deletes its stored standings', async () => {
  const crew = await aCrew()
  const { game } = await plays(crew, ended)
  await storeResults()
  expect((await crew.captain.client.delete(`/api/team/${crew.team.id}`)).statusCode).toBe(200)
  expect(await context.db.$count(finalStandings, eq(finalStandings.gameId, game.id))).toBe(0)
})

test('a profile page omits hidden games, future games, and games in which the team is not accepted', async () => {
  const crew = await aCrew()
  const { client: admin } = await signInAsNewUser(context, 'Admin')
  const open = await plays(crew, { title: 'Shown', categories: ['Web'] })
  const later = { startsAt: new Date(Date.now() + hourMs), endsAt: new Date(Date.now() + 2 * hourMs) }
  await plays(crew, { title: 'Hidden', hidden: true, categories: ['Crypto'] })
  await plays(crew, { ...ended, title: 'Hidden and over', hidden: true, categories: ['Crypto'] })
  await plays(crew, { ...later, title: 'To come', categories: ['Forensics'] })
  await plays(crew, { title: 'Waiting', categories: ['Hardware'] }, { status: 'Pending' })
  await plays(crew, { title: 'Refused', categories: ['Mobile'] }, { status: 'Rejected' })
  await plays(crew, { title: 'Suspended', categories: ['PPC'] }, { status: 'Suspended' })
  await storeResults()
  for (const client of [visitor, crew.mate.client, admin])
    for (const page of [await teamPage(crew.team.id, client), await userPage(crew.captain.user.id, client)]) {
      expect(titlesOf(page)).toEqual(['Shown'])
      expect([page.gameCount, page.bestRank]).toEqual([1, null])
      expect(page.categories).toEqual([{ category: 'Web', solves: 1, firstBloods: 1 }])
    }

  await context.db.update(games).set({ hidden: true }).where(eq(games.id, open.game.id))
  expect(await teamPage(crew.team.id)).toMatchObject({ games: [], gameCount: 0, categories: [] })
})

test('a profile page does not count disabled challenges, solves after the end, and bloods of suspended teams', async () => {
  const [crew, rivals] = [await aCrew(), await aCrew()]
  const { game, solved } = await plays(crew, { ...ended, categories: ['Web', 'Crypto'] })
  const rival = await aParticipation(context.db, { gameId: game.id, teamId: rivals.team.id, status: 'Suspended' })
  await aSubmission(context.db, rival, solved[0]!.id, { solve: true, submittedAt: new Date(game.startsAt.getTime() + 1_000) })
  await plays(crew, { ...ended, categories: ['Misc'], solvedAt: ago(1) })
  await context.db.update(challenges).set({ isEnabled: false }).where(eq(challenges.id, solved[1]!.id))
  expect((await teamPage(crew.team.id)).categories).toEqual([{ category: 'Web', solves: 1, firstBloods: 1 }])
})

test('pages show only name, bio and picture of people, and neither codes nor tokens of teams', async () => {
  const { client: admin } = await signInAsNewUser(context, 'Admin')
  const personal = { realName: 'Ada Personal', stdNumber: 'S-4711', phone: '+49 30 1234567', email: 'ada.personal@example.org' }
  const captain = await aUser(context.db, { ...personal, bio: 'Sails', role: 'Monitor' })
  const team = await aTeam(context.db, { captainId: captain.id, bio: 'A crew' })
  for (const client of [visitor, admin]) {
    const pages = [await teamPage(team.id, client), await userPage(captain.id, client)]
    expect(pages.map(({ bio }) => bio)).toEqual(['A crew', 'Sails'])
    const text = JSON.stringify(pages)
    for (const secret of [...Object.values(personal), team.inviteToken, 'Monitor', captain.passwordHash, captain.lastAddress])
      expect(text).not.toContain(secret)
    expect(pages.map((page) => Object.keys(page).sort())).toEqual([
      ['avatar', 'bestRank', 'bio', 'categories', 'gameCount', 'games', 'hasPublicPage', 'id', 'members', 'name'],
      ['avatar', 'bestRank', 'bio', 'categories', 'gameCount', 'games', 'hasPublicPage', 'id', 'teams', 'userName'],
    ])
  }
})

test('banned users, users who are not activated, and teams with only such members have no page', async () => {
  const crew = await aCrew()
  const { client: admin } = await signInAsNewUser(context, 'Admin')
  await context.db.update(users).set({ role: 'Banned' }).where(eq(users.id, crew.mate.user.id))
  for (const client of [visitor, admin, crew.mate.client])
    expect(await codeOf(`users/${crew.mate.user.id}`, client)).toEqual([404, 'user.unknown'])
  expect((await teamPage(crew.team.id)).members.map(({ id }) => id)).toEqual([crew.captain.user.id])
  await context.db.update(users).set({ emailConfirmed: false }).where(eq(users.id, crew.captain.user.id))
  expect(await codeOf(`users/${crew.captain.user.id}`)).toEqual([404, 'user.unknown'])
  expect(await codeOf(`teams/${crew.team.id}`)).toEqual([404, 'team.unknown'])
})

test('the page of a player is hidden at the request of the player, but the name remains on other pages', async () => {
  const crew = await aCrew()
  const [{ client: stranger }, { client: monitor }, { client: admin }] = [
    await signInAsNewUser(context),
    await signInAsNewUser(context, 'Monitor'),
    await signInAsNewUser(context, 'Admin'),
  ]
  expect((await crew.mate.client.put('/api/profiles/own', { hasPublicPage: false })).statusCode).toBe(200)
  const path = `users/${crew.mate.user.id}`
  for (const client of [visitor, stranger, monitor, crew.captain.client])
    expect(await codeOf(path, client)).toEqual([404, 'user.unknown'])
  const answerFor = async (id: string) => {
    const { requestId: _, ...body } = (await visitor.get(`/api/profiles/users/${id}`)).json()
    return body
  }
  expect(await answerFor(crew.mate.user.id)).toEqual(await answerFor(crypto.randomUUID()))
  for (const client of [crew.mate.client, admin])
    expect(await userPage(crew.mate.user.id, client)).toMatchObject({ id: crew.mate.user.id, hasPublicPage: false })
  expect((await teamPage(crew.team.id)).members).toMatchObject([
    { id: crew.captain.user.id, hasPublicPage: true },
    { userName: crew.mate.user.userName, hasPublicPage: false },
  ])
  const own = async (client: TestClient) => (await client.get('/api/profiles/own')).json()
  const [mates, captains] = [await own(crew.mate.client), await own(crew.captain.client)]
  expect(mates).toEqual({
    hasPublicPage: false,
    teams: [{ id: crew.team.id, hasPublicPage: true, members: [crew.captain.user.id, crew.mate.user.id] }],
  })
  expect(captains).toEqual({
    hasPublicPage: true,
    teams: [{ id: crew.team.id, hasPublicPage: true, members: [crew.captain.user.id] }],
  })
  await crew.mate.client.put('/api/profiles/own', { hasPublicPage: true })
  expect((await userPage(crew.mate.user.id)).hasPublicPage).toBe(true)
})

test('if a captain hides the page of the team, the pages of the members omit the games of the team', async () => {
  const crew = await aCrew()
  const { client: stranger } = await signInAsNewUser(context)
  const { client: admin } = await signInAsNewUser(context, 'Admin')
  await plays(crew, { title: 'In private', categories: ['Web'] })
  const other = { ...crew, team: await aTeam(context.db, { captainId: crew.captain.user.id }), ids: [crew.captain.user.id] }
  await plays(other, { title: 'In public', categories: ['Crypto'] })

  const path = `/api/profiles/teams/${crew.team.id}`
  expect((await crew.mate.client.put(path, { hasPublicPage: false })).json().code).toBe('team.not-captain')
  expect((await crew.captain.client.put('/api/profiles/teams/2000000000', { hasPublicPage: false })).json().code).toBe(
    'team.unknown',
  )
  expect((await crew.captain.client.put(path, { hasPublicPage: false })).statusCode).toBe(200)

  for (const client of [visitor, stranger]) {
    expect(await codeOf(`teams/${crew.team.id}`, client)).toEqual([404, 'team.unknown'])
    const page = await userPage(crew.captain.user.id, client)
    expect(titlesOf(page)).toEqual(['In public'])
    expect([page.gameCount, page.teams.map(({ id }) => id)]).toEqual([1, [other.team.id]])
    expect(page.categories).toEqual([{ category: 'Crypto', solves: 1, firstBloods: 1 }])
  }
  for (const client of [crew.mate.client, crew.captain.client, admin]) {
    expect(await teamPage(crew.team.id, client)).toMatchObject({ hasPublicPage: false, gameCount: 1 })
    expect(titlesOf(await userPage(crew.captain.user.id, client)).toSorted()).toEqual(['In private', 'In public'])
  }
  expect((await context.db.select().from(teams).where(eq(teams.id, crew.team.id)))[0]).toMatchObject({ hasPublicPage: false })
})

test("does not show a team's games on the page of a former member", async () => {
  const crew = await aCrew()
  await plays(crew, { ...ended, categories: ['Web'] })
  expect((await userPage(crew.mate.user.id)).gameCount).toBe(1)
  expect((await crew.mate.client.post(`/api/team/${crew.team.id}/leave`)).statusCode).toBe(200)
  expect(await userPage(crew.mate.user.id)).toMatchObject({ games: [], gameCount: 0, teams: [] })
})

test('a profile lists the latest games first, in pages, and an unchanged profile is answered with 304', async () => {
  const crew = await aCrew()
  for (const hours of [9, 8, 7]) await plays(crew, { title: `${hours} hours ago`, startsAt: ago(hours), endsAt: ago(hours - 1) })
  expect(titlesOf(await teamPage(crew.team.id, visitor, '?count=2'))).toEqual(['7 hours ago', '8 hours ago'])
  const rest = await teamPage(crew.team.id, visitor, '?count=2&skip=2')
  expect([titlesOf(rest), rest.gameCount]).toEqual([['9 hours ago'], 3])
  expect(titlesOf(await teamPage(crew.team.id, visitor, '?count=100000'))).toHaveLength(3)
  const answer = await visitor.get(`/api/profiles/teams/${crew.team.id}`)
  const again = await visitor.inject({
    method: 'GET',
    url: `/api/profiles/teams/${crew.team.id}`,
    headers: { 'if-none-match': String(answer.headers.etag) },
  })
  expect([again.statusCode, again.body]).toEqual([304, ''])
})

test('the number of SQL statements for a profile page does not depend on the number of games', async () => {
  const [few, many] = [await aCrew(), await aCrew()]
  for (let index = 0; index < 12; index += 1) {
    const { game } = await plays(many, { ...ended, categories: ['Web'] }, { division: 'open' })
    if (index < 2)
      await aParticipation(context.db, { gameId: game.id, teamId: few.team.id, memberIds: few.ids, division: 'open' })
  }
  await storeResults()
  const statementsOf = async (path: string): Promise<number> => {
    statements = []
    expect((await visitor.get(`/api/profiles/${path}`)).statusCode).toBe(200)
    // Ignore the statements with which scoreboards poll the change feed once a second.
    return statements.filter((text) => !text.includes('changes')).length
  }
  const { gameCount, bestRank } = await teamPage(many.team.id)
  expect([gameCount, bestRank]).toEqual([12, 1])
  expect(await statementsOf(`teams/${many.team.id}`)).toBe(await statementsOf(`teams/${few.team.id}`))
  expect(await statementsOf(`users/${many.captain.user.id}`)).toBe(await statementsOf(`users/${few.captain.user.id}`))
  expect(await statementsOf(`teams/${many.team.id}`)).toBeLessThanOrEqual(6)
})

test('concurrent calls of users with the same rights share one query for the teams with hidden pages', async () => {
  const [crew, other] = [await aCrew(), await aCrew()]
  const [one, two] = [(await plays(crew)).game, (await plays(other)).game]
  await context.db
    .update(teams)
    .set({ hasPublicPage: false })
    .where(inArray(teams.id, [crew.team.id, other.team.id]))
  statements = []
  const asked = Array.from({ length: 10 }, () => [
    visitor.get(`/api/profiles/games/${one.id}/closed`),
    visitor.get(`/api/profiles/games/${two.id}/closed`),
    visitor.get('/api/profiles/games/99999999/closed'),
    crew.mate.client.get(`/api/profiles/games/${one.id}/closed`),
  ])
  const answers = await Promise.all(asked.map(async (row) => (await Promise.all(row)).map((answer) => answer.json())))
  expect(answers).toEqual(Array(10).fill([[crew.team.id], [other.team.id], [], []]))
  expect(statements.filter((text) => text.includes('"participations"."status" = ')).length).toBeLessThanOrEqual(10)
})

test('the list of teams whose page is closed depends on the caller', async () => {
  const [open, closed, empty] = [await aCrew(), await aCrew(), await aCrew()]
  const { game } = await plays(open)
  for (const { team, ids } of [closed, empty])
    await aParticipation(context.db, { gameId: game.id, teamId: team.id, memberIds: ids })
  await context.db.update(teams).set({ hasPublicPage: false }).where(eq(teams.id, closed.team.id))
  await context.db.update(users).set({ role: 'Banned' }).where(inArray(users.id, empty.ids))
  const closedTo = async (client: TestClient) => (await client.get(`/api/profiles/games/${game.id}/closed`)).json()
  expect(await closedTo(visitor)).toEqual([closed.team.id, empty.team.id])
  expect(await closedTo(open.captain.client)).toEqual([closed.team.id, empty.team.id])
  expect(await closedTo(closed.mate.client)).toEqual([empty.team.id])
  expect(await closedTo((await signInAsNewUser(context, 'Admin')).client)).toEqual([empty.team.id])
  for (const { team } of [closed, empty]) expect(await codeOf(`teams/${team.id}`)).toEqual([404, 'team.unknown'])
})

test('requests to store standings that arrive during a run of the writer share the next run', async () => {
  const games = [await aGame(context.db, ended), await aGame(context.db, ended)]
  const [first, second] = [games[0]!.id, games[1]!.id]
  const gate = Promise.withResolvers<void>()
  const built: number[] = []
  const { scoreboards } = context.app
  const readCurrent = async (gameId: number) => {
    built.push(gameId)
    await gate.promise
    return scoreboards.readCurrent(gameId)
  }
  const keeper = createStandingsWriter({
    ...context.deps,
    scoreboards: { ...scoreboards, readCurrent },
    log: { warn: (fields) => void warnings.push(fields) },
  })
  const running = keeper.runFor([first])
  await expect.poll(() => built).toEqual([first])
  const waiting = [[first], [second], [first], [second, first]].map((ids) => keeper.runFor(ids))
  gate.resolve()
  await Promise.all([running, ...waiting])
  expect(built.toSorted((left, right) => left - right)).toEqual([first, first, second])
})

// Run this test last, because its standings writer continues to listen to changes of boards.
test('stored standings are replaced if an SQL statement changes scores, but not if it only changes a name', async () => {
  const crew = await aCrew()
  const { game, solved } = await plays(crew, { ...ended, title: 'Fed', categories: ['Pwn'] })
  const rivals = await aCrew()
  const rival = await aParticipation(context.db, { gameId: game.id, teamId: rivals.team.id })
  await aSubmission(context.db, rival, solved[0]!.id, { solve: true, submittedAt: new Date(game.startsAt.getTime() + 30_000) })
  await storeResults()
  const keeper = createKeeper()
  const announced: number[] = []
  context.app.scoreboards.listen((gameIds) => {
    announced.push(...(gameIds ?? []))
    void keeper.runFor(gameIds ?? [])
  })
  // Changes are announced in order. The announcement of this change shows that all earlier changes were announced.
  const later = await aGame(context.db)
  await context.sql`update games set blood_bonus = 0 where id = ${later.id}`
  await expect.poll(() => announced).toContain(later.id)
  announced.length = 0
  const rank = async () => (await teamPage(crew.team.id)).games[0]?.standing?.rank
  expect(await rank()).toBe(2)
  await context.sql`update teams set name = 'Renamed' where id = ${rivals.team.id}`
  await context.sql`update solves set solved_at = solved_at + interval '50 minutes' where participation_id = ${rival.id}`
  await expect.poll(() => announced).toContain(game.id)
  await expect.poll(rank).toBe(1)
  announced.length = 0
  const elsewhere = await aGame(context.db)
  await context.sql`update teams set bio = 'Changed' where id = ${rivals.team.id}`
  await context.sql`update games set blood_bonus = 0 where id = ${elsewhere.id}`
  await expect.poll(() => announced).toContain(elsewhere.id)
  expect(announced).not.toContain(game.id)
})
