import { platformSettings } from '@capstan/db/schema/platform'
import { createTestDatabase } from '@capstan/db/testing/test-database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadScoreboardFacts } from '../../scoreboard/facts.ts'
import { naiveScoreboard } from '../../scoring/testing/naive-scoreboard.ts'
import { aSession, aTeam, aUser } from '../factories.ts'
import { aChallenge, aGame, anAssignment, aParticipation } from '../organising-factories.ts'
import { createCrowd, type Player } from './crowd.ts'
import { createCrashingPlatform } from './platform.ts'

const kills = 4
const teams = 16
const membersPerTeam = 2
const containersPerTeam = 3

let database: Awaited<ReturnType<typeof createTestDatabase>>
let platform: ReturnType<typeof createCrashingPlatform>
beforeAll(async () => {
  database = await createTestDatabase()
  platform = createCrashingPlatform(database.url)
})
afterAll(async () => {
  await platform.kill()
  await database.drop()
})

/** A running game in which every team may have three containers, and each further start ends its oldest one. */
const createGame = async () => {
  const { db } = database
  await db.insert(platformSettings).values({ section: 'containerPolicy', value: { autoDestroyOnLimitReached: true } })
  const game = await aGame(db, { containerCountLimit: containersPerTeam })
  const numbers = Array.from({ length: 8 }, (_, index) => index)
  const solvable = await Promise.all(
    numbers.map(async (index) => {
      const flag = `flag{right ${index}}`
      return { ...(await aChallenge(db, { gameId: game.id, title: `solve ${index}`, flags: [flag] })), flag }
    }),
  )
  const startable = await Promise.all(
    numbers.map((index) =>
      aChallenge(db, { gameId: game.id, title: `start ${index}`, type: 'DynamicContainer', containerImage: 'any:1' }),
    ),
  )
  return { game, solvable, startable: startable.map(({ id }) => id) }
}

const createPlayers = async ({ game, solvable, startable }: Awaited<ReturnType<typeof createGame>>): Promise<Player[]> => {
  const { db } = database
  const players: Player[] = []
  for (let team = 0; team < teams; team++) {
    const members = await Promise.all(Array.from({ length: membersPerTeam }, () => aUser(db)))
    const memberIds = members.map(({ id }) => id)
    const { id: teamId } = await aTeam(db, { captainId: memberIds[0]!, memberIds: memberIds.slice(1) })
    const { id: participationId } = await aParticipation(db, { gameId: game.id, teamId, memberIds })
    for (const { id: challengeId } of solvable) await anAssignment(db, { participationId, challengeId })
    for (const { id } of members) players.push({ cookie: await aSession(db, id), gameId: game.id, solvable, startable })
  }
  return players
}

interface Submission {
  id: number
  challenge_id: number
  participation_id: number
  answer: string
  status: string
  submitted_at: string
  user_name: string
}

const listSubmissions = async () =>
  (await database.sql`
    select s.id, challenge_id, participation_id, answer, status, submitted_at, user_name
    from submissions s join users u on u.id = s.user_id order by submitted_at, s.id`) as unknown as Submission[]

const listLiveIds = async () =>
  (await database.sql`select id from instances where ended_at is null order by id::text`).map(({ id }) => id as string)

/** The first right answer of each team to each challenge. */
const firstsOf = (submissions: readonly Submission[]) => {
  const firsts = new Map<string, Submission>()
  for (const submission of submissions.filter(({ status }) => status === 'Accepted')) {
    const key = `${submission.challenge_id} ${submission.participation_id}`
    if (!firsts.has(key)) firsts.set(key, submission)
  }
  return [...firsts.values()]
}

test('whatever was acknowledged is there once after kill -9 at any moment, and nothing contradicts it', async () => {
  const world = await createGame()
  const players = await createPlayers(world)
  await platform.start()
  const crowd = createCrowd(platform, players)
  for (let kill = 0; kill < kills; kill++) {
    await crowd.waitForCalls(40 + Math.floor(Math.random() * 160))
    await platform.kill()
    await platform.start()
  }
  await crowd.waitForCalls(100)
  await crowd.stop()
  const { acknowledged } = crowd
  expect(acknowledged.oddities).toEqual([])
  expect(acknowledged.submissions.length).toBeGreaterThan(kills * 20)
  expect(acknowledged.instanceIds.length).toBeGreaterThan(teams)

  // Each acknowledged submission once; no guess twice, acknowledged or not.
  const submissions = await listSubmissions()
  const stored = new Map(submissions.map(({ id, answer }) => [id, answer]))
  expect(acknowledged.submissions.filter(({ id, answer }) => stored.get(id) !== answer)).toEqual([])
  expect(new Set(acknowledged.submissions.map(({ id }) => id)).size).toBe(acknowledged.submissions.length)
  const guesses = submissions.filter(({ answer }) => answer.startsWith('flag{guess')).map(({ answer }) => answer)
  expect(guesses.length).toBe(new Set(guesses).size)

  // What follows from a submission came with it or not at all.
  const { sql } = database
  const gameId = world.game.id
  const [events] = await sql`select count(*)::int from events where game_id = ${gameId} and type = 'FlagSubmit'`
  expect(events?.count).toBe(submissions.length)
  const firsts = firstsOf(submissions)
  const solves = await sql`select submission_id from solves where game_id = ${gameId} order by solved_at, submission_id`
  expect(solves.map(({ submission_id }) => submission_id)).toEqual(firsts.map(({ id }) => id))
  const bloods =
    await sql`select type, values[2] as title from notices where game_id = ${gameId} and type like '%Blood' order by id`
  for (const { id, title } of world.solvable) {
    const order = ['FirstBlood', 'SecondBlood', 'ThirdBlood'].slice(0, firsts.filter((one) => one.challenge_id === id).length)
    expect(bloods.filter((blood) => blood.title === title).map(({ type }) => type)).toEqual(order)
  }
  const counts = await sql`select id, accepted_count from challenges where title like 'solve %' order by id`
  expect(counts.map(({ accepted_count }) => accepted_count)).toEqual(
    counts.map(({ id }) => firsts.filter(({ challenge_id }) => challenge_id === id).length),
  )

  // The board that is served is the one that the submissions give.
  const facts = (await loadScoreboardFacts(database.db, gameId, new Date()))!
  const recomputed = naiveScoreboard({
    ...facts,
    solves: firsts.map((first) => ({
      submissionId: first.id,
      participationId: first.participation_id,
      challengeId: first.challenge_id,
      userName: first.user_name,
      submittedAt: new Date(first.submitted_at),
    })),
  })
  const { updateTimeUtc: _, ...board } = recomputed
  await expect
    .poll(async () => JSON.parse((await platform.call(`/api/game/${gameId}/scoreboard`, '')).text), { timeout: 60_000 })
    .toMatchObject(board)

  // Rows and instances agree; a row may wait for its instance for 15 s before it is closed.
  await expect
    .poll(async () => ({ rows: await listLiveIds(), running: platform.listInstanceIds() }), { timeout: 120_000, interval: 250 })
    .toSatisfy(({ rows, running }) => rows.length > 0 && rows.join() === running.join())
  const known = new Set((await sql`select id from instances`).map(({ id }) => id as string))
  expect(acknowledged.instanceIds.filter((id) => !known.has(id))).toEqual([])
  const crowded =
    await sql`select participation_id from instances where ended_at is null group by 1 having count(*) > ${containersPerTeam}`
  expect(crowded).toHaveLength(0)
}, 300_000)
