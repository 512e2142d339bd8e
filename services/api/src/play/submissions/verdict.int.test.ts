import { randomUUID } from 'node:crypto'
import { allRights, divisionRights } from '@capstan/contract/division-rights'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame, anAssignment } from '../../testing/organizing-factories.ts'
import { aPastGame, aPlayer, aTeamMate } from '../../testing/playing-factories.ts'

let context: TestApp
/** Statements that count the solves of other teams. */
let counts = 0
function observe(text: string) {
  if (text.includes('"solves" as other')) counts += 1
  return undefined
}
beforeAll(async () => {
  context = await startTestApp({ observe })
})
afterAll(() => context.close())

type Player = Awaited<ReturnType<typeof aPlayer>>

/** Creates a game with one challenge and the given number of teams. */
async function aPlayedGame(teams: number) {
  const game = await aGame(context.db)
  const challenge = await aChallenge(context.db, { gameId: game.id, flags: ['flag{right}'] })
  const players: Player[] = []
  for (let team = 0; team < teams; team += 1)
    players.push(await aPlayer(context, { gameId: game.id, challengeIds: [challenge.id] }))
  return { game, challenge, players }
}

function judge(player: Pick<Player, 'client'>, challenge: { gameId: number; id: number }, flag: string, key?: string) {
  return player.client.post(
    `/api/game/${challenge.gameId}/challenges/${challenge.id}/verdict`,
    { flag },
    key === undefined ? {} : { 'idempotency-key': key },
  )
}

async function countOf(challengeId: number) {
  const [row] = await context.sql`select count(*)::integer as count from submissions where challenge_id = ${challengeId}`
  return row?.count
}

test('the verdict contains the points and the blood that the next board shows', async () => {
  const { game, challenge, players } = await aPlayedGame(4)
  const types: unknown[] = []
  for (const player of players) {
    const response = await judge(player, challenge, ' flag{right} ')
    const { id, status, solve } = response.json()
    expect([response.statusCode, status, solve]).toEqual([200, 'Accepted', expect.objectContaining({ id: challenge.id })])
    const [stored] =
      await context.sql`select answer, status from submissions where challenge_id = ${challenge.id} and number = ${id}`
    expect(stored).toEqual({ answer: 'flag{right}', status: 'Accepted' })
    types.push([solve.type, solve.userName === player.user.userName])
    const solvesOnBoard = async () =>
      (await player.client.get(`/api/game/${game.id}/details`)).json().rank.solvedChallenges as unknown[]
    await expect.poll(solvesOnBoard, { timeout: 60_000 }).toEqual([solve])
  }
  expect(types).toEqual([
    ['FirstBlood', true],
    ['SecondBlood', true],
    ['ThirdBlood', true],
    ['Normal', true],
  ])
})

test('a solve gets no blood, bonus or notice if bloods are disabled for the challenge', async () => {
  const { game, challenge, players } = await aPlayedGame(2)
  const { client: admin } = await signInAsNewUser(context, 'Admin')
  await admin.put(`/api/edit/games/${game.id}/challenges/${challenge.id}`, { disableBloodBonus: true })
  const [first, second] = players as [Player, Player]
  const { solve } = (await judge(first, challenge, 'flag{right}')).json()
  expect(solve).toMatchObject({ type: 'Normal', score: 1000 })
  const notices = async () => (await first.client.get(`/api/game/${game.id}/notices`)).json()
  expect(await notices()).toEqual([])
  const board = async () => (await first.client.get(`/api/game/${game.id}/scoreboard`)).json()
  const shown = async () => {
    const { challenges, items } = await board()
    const solved = items.flatMap((team: { solvedChallenges: unknown[] }) => team.solvedChallenges)
    return { ...Object.values<object[]>(challenges).flat()[0], solved }
  }
  await expect.poll(shown, { timeout: 60_000 }).toMatchObject({ bloods: [], disableBloodBonus: true, solved: [solve] })

  // After bloods are enabled again, the earlier solve counts as the first blood.
  await admin.put(`/api/edit/games/${game.id}/challenges/${challenge.id}`, { disableBloodBonus: false })
  expect((await judge(second, challenge, 'flag{right}')).json().solve.type).toBe('SecondBlood')
  expect(await notices()).toMatchObject([{ type: 'SecondBlood' }])
})

test('the bonus of a blood is a fixed number of points if the game defines blood points', async () => {
  const { game, challenge, players } = await aPlayedGame(2)
  const { client: admin } = await signInAsNewUser(context, 'Admin')
  const settings = (await admin.get(`/api/edit/games/${game.id}`)).json()
  await admin.put(`/api/edit/games/${game.id}`, { ...settings, bloodPoints: { first: 100, second: 7, third: 0 } })
  const [first, second] = players as [Player, Player]
  expect((await judge(first, challenge, 'flag{right}')).json().solve).toMatchObject({ type: 'FirstBlood', score: 1100 })
  // The value with two solvers is 864: floor(1000 x (0.25 + 0.75 x e^(-1/5))).
  expect((await judge(second, challenge, 'flag{right}')).json().solve).toMatchObject({ type: 'SecondBlood', score: 871 })
  const points = async () =>
    (await first.client.get(`/api/game/${game.id}/scoreboard`)).json().items.map(({ score }: { score: number }) => score)
  await expect.poll(points, { timeout: 60_000 }).toEqual([964, 871])
})

test.each(['linear', 'rctf'] as const)(
  'a solve retains its value at the time of the solve if the curve %s has fixed values',
  async (curve) => {
    const { game, challenge, players } = await aPlayedGame(3)
    const other = await aChallenge(context.db, { gameId: game.id, flags: ['flag{other}'] })
    const { client: admin } = await signInAsNewUser(context, 'Admin')
    const place = `/api/edit/games/${game.id}/challenges/${challenge.id}/whole`
    const stored = (await admin.get(place)).json().challenge
    const written = { ...stored, points: 500, minimumShare: 0.2, decay: 50, bloods: false, curve, isValueFixed: true }
    expect((await admin.put(place, { challenge: written })).json().challenge).toMatchObject({ curve, isValueFixed: true })
    const scores: number[] = []
    for (const player of players) {
      await context.sql`insert into assignments (participation_id, challenge_id) values (${player.participation.id}, ${other.id}) on conflict do nothing`
      expect((await judge(player, other, 'flag{other}')).json().status).toBe('Accepted')
      scores.push((await judge(player, challenge, 'flag{right}')).json().solve.score)
    }
    // The linear value is 500, and decreases by 50 with each further solver. The rCTF value is minimal, because the challenge is
    // the most-solved one.
    expect(scores).toEqual(curve === 'linear' ? [500, 450, 400] : [100, 100, 100])
    const { client } = players[0] as Player
    const shown = async () => {
      const { items, challenges } = (await client.get(`/api/game/${game.id}/scoreboard`)).json()
      type Solved = { id: number; score: number }
      const solved = items.flatMap((team: { solvedChallenges: Solved[] }) => team.solvedChallenges)
      const values = solved.filter(({ id }: Solved) => id === challenge.id).map(({ score }: Solved) => score)
      const onBoard = Object.values<{ id: number }[]>(challenges)
        .flat()
        .find(({ id }) => id === challenge.id)
      return [values, onBoard]
    }
    const score = scores.at(-1)
    await expect.poll(shown, { timeout: 60_000 }).toMatchObject([scores, { score, solved: 3, isValueFixed: true }])
  },
)

const allButValue = allRights & ~divisionRights.value

test.each([[false], [true]])(
  'the verdict for the curve rctf has the points of the next board, and ignores solves that do not count (isValueFixed %j)',
  async (isValueFixed) => {
    const divisions = [{ name: 'guests', permissions: allButValue }]
    const game = await aGame(context.db, { bloodBonus: 0, divisions })
    const rctf = { gameId: game.id, flags: ['flag{right}'], curve: 'rctf' as const, isValueFixed, minimumShare: 0.1 }
    const [challenge, popular] = [await aChallenge(context.db, rctf), await aChallenge(context.db, rctf)]
    const challengeIds = [challenge.id, popular.id]
    const player = (division?: string) => aPlayer(context, { gameId: game.id, challengeIds, ...(division && { division }) })
    const [guest, suspended, ...teams] = [await player('guests'), await player(), await player(), await player(), await player()]
    for (const each of [guest, suspended, ...teams]) await judge(each, popular, 'flag{right}')
    for (const each of [guest, suspended]) await judge(each, challenge, 'flag{right}')
    await context.sql`update participations set status = 'Suspended' where id = ${suspended.participation.id}`
    const { solve } = (await judge(teams[0]!, challenge, 'flag{right}')).json()
    // One of three counted solves: 100 + 900 * b(1 / 3) of docs/contract/flags-and-scoring.md#values.
    expect(solve.score).toBe(582)
    const board = await context.app.scoreboards.readCurrent(game.id)
    expect(board?.live.standingOf(teams[0]!.team.id)?.solvedChallenges).toContainEqual(solve)
  },
)

test('a repeated call reads the points from the scoreboard and does not count solves', async () => {
  const game = await aGame(context.db)
  const challenge = await aChallenge(context.db, { gameId: game.id, flags: ['flag{right}'], curve: 'rctf' })
  const [player, other] = [
    await aPlayer(context, { gameId: game.id, challengeIds: [challenge.id] }),
    await aPlayer(context, { gameId: game.id, challengeIds: [challenge.id] }),
  ]
  const key = randomUUID()
  const first = (await judge(player, challenge, 'flag{right}', key)).json()
  await judge(other, challenge, 'flag{right}')
  // Mark the board as read, so that it remains cached.
  await context.app.scoreboards.read(game.id, 'live')
  const board = await context.app.scoreboards.readCurrent(game.id)
  const [solve] = board?.live.standingOf(player.team.id)?.solvedChallenges ?? []
  counts = 0
  for (let call = 0; call < 5; call += 1)
    expect((await judge(player, challenge, 'flag{right}', key)).json()).toEqual({ ...first, solve })
  expect(counts).toBe(0)
})

test('the solve of a suspended team does not affect which blood the next team gets', async () => {
  const { challenge, players } = await aPlayedGame(2)
  const [first, second] = players as [Player, Player]
  await judge(first, challenge, 'flag{right}')
  const { client: admin } = await signInAsNewUser(context, 'Admin')
  await admin.put(`/api/admin/participation/${first.participation.id}/suspended`)
  expect((await judge(second, challenge, 'flag{right}')).json().solve).toMatchObject({ type: 'FirstBlood' })
})

test('the verdict contains no solve for a wrong flag, or for a right flag without points', async () => {
  const { challenge, players } = await aPlayedGame(1)
  const [player] = players as [Player]
  const verdict = async (flag: string) => {
    const { status, solve } = (await judge(player, challenge, flag)).json()
    return [status, solve]
  }
  expect(await verdict('flag{wrong}')).toEqual(['WrongAnswer', null])
  expect(await verdict('flag{right}')).toEqual(['Accepted', expect.anything()])
  expect(await verdict('flag{right}')).toEqual(['Accepted', null])
  const past = await aPastGame(context.db, { practiceMode: true })
  const practiced = await aChallenge(context.db, { gameId: past.id, flags: ['flag{right}'] })
  const late = await aPlayer(context, { gameId: past.id, challengeIds: [practiced.id] })
  expect((await judge(late, practiced, 'flag{right}')).json()).toMatchObject({ status: 'Accepted', solve: null })
})

test("reports another team's flag as a wrong answer", async () => {
  const game = await aGame(context.db)
  const challenge = await aChallenge(context.db, { gameId: game.id, type: 'DynamicContainer' })
  const [victim, thief] = [await aPlayer(context, { gameId: game.id }), await aPlayer(context, { gameId: game.id })]
  for (const [player, flag] of [
    [victim, 'flag{victim}'],
    [thief, 'flag{thief}'],
  ] as const)
    await anAssignment(context.db, { participationId: player.participation.id, challengeId: challenge.id, flag })
  expect((await judge(thief, challenge, 'flag{victim}')).json()).toEqual({
    id: 1,
    status: 'WrongAnswer',
    solve: null,
    found: null,
  })
  expect(await context.sql`select status from submissions where challenge_id = ${challenge.id}`).toEqual([
    { status: 'CheatDetected' },
  ])
})

test.each([['flag{right}'], ['flag{wrong}']])(
  'sends the same response to concurrent calls of %s with the same key, and stores one submission',
  async (flag) => {
    const { challenge, players } = await aPlayedGame(1)
    const [player] = players as [Player]
    const mate = await aTeamMate(context, player)
    const key = randomUUID()
    const answers = await Promise.all(Array.from({ length: 8 }, () => judge(player, challenge, flag, key)))
    answers.push(await judge(player, challenge, flag, key), await judge(mate, challenge, flag, key))
    const bodies = answers.map(({ statusCode, body }) => [statusCode, body])
    expect(bodies).toEqual(Array(bodies.length).fill([200, answers[0]?.body]))
    expect(await countOf(challenge.id)).toBe(1)
  },
)

test('a call with a used idempotency key returns the verdict of the stored submission', async () => {
  const { challenge, players } = await aPlayedGame(1)
  const [player] = players as [Player]
  const key = randomUUID()
  const url = `/api/game/${challenge.gameId}/challenges/${challenge.id}`
  const id = (await player.client.post(url, { flag: 'flag{right}' }, { 'idempotency-key': key })).json()
  expect((await judge(player, challenge, 'flag{right}', key)).json()).toMatchObject({
    id,
    status: 'Accepted',
    solve: { id: challenge.id },
  })
  const refused = await judge(player, challenge, 'flag{other}', key)
  expect([refused.statusCode, refused.json().detail]).toEqual([400, 'Idempotency-Key belongs to another submission'])
  expect((await judge(player, challenge, 'flag{right}', 'x')).statusCode).toBe(400)
  expect(await countOf(challenge.id)).toBe(1)
})

test('all calls that submit an answer share one rate limit', async () => {
  const limited = await startTestApp({ config: { rateLimits: true }, deps: { sleep: async () => {} } })
  const { id: gameId } = await aGame(limited.db)
  const challenge = await aChallenge(limited.db, { gameId, flags: ['flag{right}'] })
  const player = await aPlayer(limited, { gameId, challengeIds: [challenge.id] })
  const key = randomUUID()
  for (let call = 0; call < 20; call += 1) expect((await judge(player, challenge, 'flag{wrong}', key)).statusCode).toBe(200)
  const url = `/api/game/${gameId}/challenges/${challenge.id}`
  const others = await Promise.all(
    Array.from({ length: 140 }, (_, call) =>
      call % 2 === 0 ? judge(player, challenge, 'flag{wrong}') : player.client.post(url, { flag: 'flag{wrong}' }),
    ),
  )
  expect(new Set(others.map(({ statusCode }) => statusCode))).toEqual(new Set([200, 429]))
  expect((await judge(player, challenge, 'flag{wrong}', key)).statusCode).toBe(200)
  await limited.close()
})
