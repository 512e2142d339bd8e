import { boardVersionHeader } from '@capstan/contract/board-version'
import { ownTeamNews } from '@capstan/contract/events'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { extendChains } from '../../play/public-chain/service.ts'
import { createClient, startTestApp, type TestApp, type TestClient } from '../app.ts'
import { type ChallengeName, createFrozenWorld, type FrozenWorld, flagOf, type TeamName } from './frozen-world.ts'
import { addressOf, type CallInput, type CallName, callNames, operationOf } from './requests.ts'

/** Number of random histories (CONTRIBUTING, "Short and full runs"). */
const histories = process.env.CAPSTAN_TEST_FULL === 'true' ? 50 : 2

const poll = { timeout: 120_000, interval: 200 }

/** Calls whose answers differ on equal platforms, with the reason. */
const incomparable: Partial<Record<CallName, string>> = {
  createPowChallenge: 'returns a random challenge',
}

/** Id of a request in the body of a refusal. It counts the requests of a process, so also the length of such a body differs. */
const requestId = /"requestId":"[\w-]+"/

/** Readers of the comparison. `calm` does nothing after the freeze, `active` and `mate` are one team with later solves. */
const readers = ['visitor', 'outsider', 'calm', 'active', 'mate'] as const

/** Returns the calls that read something and that at least one player or visitor may call. */
const reads = callNames.filter((name) => {
  const { method, access } = operationOf(name)
  return method === 'GET' && ['anonymous', 'user', 'captain', 'participant'].includes(access) && !(name in incomparable)
})

type Platform = Readonly<{
  context: TestApp
  clientOf(name: TeamName | (typeof readers)[number] | 'admin' | 'monitor'): TestClient
  /** Version of the board right before the freeze. */
  versions: string[]
  /** Answers to the changes that both platforms make after the freeze, by call. */
  answers: Answer[]
}>

type Answer = Readonly<{
  call: string
  /** Caller and address. */
  request: string
  content: string
}>

/** Returns inputs for each parameter that an address needs. */
function inputsOf(
  name: CallName,
  { game, challenges, teams, userIds, freeze }: FrozenWorld,
  { versions }: Platform,
): CallInput[] {
  const { path } = operationOf(name)
  const all = (key: string): readonly (string | number)[] => {
    if (key === 'cid') return Object.values(challenges).map(({ id }) => id)
    if (key === 'sid') return [1, 2, 3, 4, 5]
    if (key === 'fid') return ['00000000-0000-4000-8000-000000000000']
    if (key === 'hash') return ['0'.repeat(64)]
    if (key === 'name') return ['poster.webp']
    if (/^\/api\/(team|profiles\/teams)\//.test(path)) return Object.values(teams).map(({ id }) => id)
    if (path.startsWith('/api/profiles/users/')) return userIds
    if (path.startsWith('/api/posts/')) return ['00000000']
    if (/^\/api\/(game|profiles\/games)\/\{id\}/.test(path)) return [game.id]
    throw new Error(`Got no values for {${key}} of ${name}`)
  }
  const queries: NonNullable<CallInput['query']>[] =
    name === 'getScoreboardRows'
      ? [...versions, '1', '999999999999999'].map((since) => ({ since }))
      : name === 'getPastScoreboard'
        ? [0, freeze.getTime(), freeze.getTime() + 3_600_000].map((at) => ({ at }))
        : [{}]
  const keys = [...path.matchAll(/\{(\w+)\}/g)].map(([, key]) => key!)
  const params = keys.reduce<Record<string, string | number>[]>(
    (before, key) => before.flatMap((one) => all(key).map((value) => ({ ...one, [key]: value }))),
    [{}],
  )
  return params.flatMap((one) => queries.map((query) => ({ params: one, query })))
}

type Reply = Awaited<ReturnType<TestClient['get']>>

function contentOf({ statusCode, headers, rawPayload }: Reply): string {
  const body = rawPayload.toString('latin1')
  const incomparableHeaders = ['date', ...(requestId.test(body) ? ['content-length'] : [])]
  const comparable = Object.entries(headers).filter(([name]) => !incomparableHeaders.includes(name))
  return `${statusCode} ${JSON.stringify(comparable.sort())}\n${body.replace(requestId, '')}`
}

async function startPlatform({ database, sessions, teams, freeze }: FrozenWorld): Promise<Platform> {
  const context = await startTestApp({ template: database.name })
  onTestFinished(() => context.close())
  context.clock.set(new Date(freeze.getTime() - 1_000))
  const clients = new Map<string, TestClient>()
  const cookieOf = (name: string) =>
    name in teams ? teams[name as TeamName].session : (sessions as Readonly<Record<string, string>>)[name]
  const clientOf: Platform['clientOf'] = (name) => {
    const client = clients.get(name) ?? createClient(context.app)
    const [key, token] = cookieOf(name)?.split('=') ?? []
    if (key && token) client.cookies.set(key, token)
    clients.set(name, client)
    return client
  }
  return { context, clientOf, versions: [], answers: [] }
}

/** Reads everything that the readers may read. */
async function readAll(world: FrozenWorld, platform: Platform): Promise<Answer[]> {
  await extendChains(platform.context.deps)
  const answers: Answer[] = []
  for (const reader of readers)
    for (const call of reads)
      for (const [index, input] of inputsOf(call, world, platform).entries()) {
        const address = addressOf(operationOf(call), input)
        const reply = await platform.clientOf(reader).get(address)
        const request = call === 'getScoreboardRows' ? `${reader} version ${index}` : `${reader} ${address}`
        answers.push({ call, request, content: contentOf(reply) })
      }
  const { app, deps, messages } = platform.context
  const authorization = `Bearer ${deps.config.internalToken}`
  const page = await app.inject({ url: '/internal/page-settings', headers: { authorization } })
  const pushed = messages.filter(({ kind }) => kind === 'notice')
  const own = [world.teams.calm.captainId, world.teams.active.captainId]
  const news = messages.filter((message) => message.kind === 'team-instances' && message.userIds.some((id) => own.includes(id)))
  return [
    ...answers,
    ...platform.answers,
    { call: 'page', request: 'visitor', content: contentOf(page) },
    { call: 'hub', request: 'notices', content: JSON.stringify(pushed) },
    { call: 'hub', request: ownTeamNews.target, content: JSON.stringify(news) },
  ]
}

type Change = (platform: Platform) => Promise<Reply>

/** Returns changes by other teams and organizers, each with its name. */
function rivalChanges({ game, challenges, teams, hintId, question }: FrozenWorld): Readonly<Record<string, Change>> {
  const path = `/api/game/${game.id}`
  const answer =
    (team: TeamName, challenge: ChallengeName, flag = flagOf(challenge, team)): Change =>
    ({ clientOf }) =>
      clientOf(team).post(`${path}/challenges/${challenges[challenge].id}/verdict`, { flag })
  const review =
    (team: TeamName, status: string): Change =>
    ({ clientOf }) =>
      clientOf('admin').put(`/api/admin/participation/${teams[team].participationId}/${status}`)
  return {
    'a first solve': answer('first', 'knot'),
    'a second solve': answer('second', 'knot'),
    'a third solve': answer('third', 'knot'),
    'a solve of a solved challenge': answer('second', 'rope'),
    'a wrong answer': answer('second', 'rope', 'flag{wrong}'),
    "another team's flag": answer('second', 'splice', flagOf('splice', 'first')),
    'a bought hint': ({ clientOf }) =>
      clientOf('first').post(`${path}/challenges/${challenges.rope.id}/hints/${hintId}`, { price: 20 }),
    'an award': ({ clientOf }) =>
      clientOf('admin').post(`/api/edit/games/${game.id}/awards`, { teamId: teams.first.id, points: 70, reason: 'A talk' }),
    'a solve that is taken back': ({ clientOf }) =>
      clientOf('admin').post(`/api/edit/games/${game.id}/corrections`, {
        ...{ teamId: teams.third.id, challengeId: challenges.rope.id, kind: 'TakenBack', reason: 'A shared flag' },
      }),
    'a granted solve': ({ clientOf }) =>
      clientOf('admin').post(`/api/edit/games/${game.id}/corrections`, {
        ...{ teamId: teams.first.id, challengeId: challenges.hitch.id, kind: 'Granted', reason: 'The flag was wrong' },
      }),
    'a team that joins': ({ clientOf }) => clientOf('late').post(path, { teamId: teams.late.id, organization: 'open' }),
    'an accepted team': review('pending', 'Accepted'),
    'a suspended team': review('third', 'Suspended'),
    'a rejected team that tries to leave': async (platform) => {
      const reply = await review('leaver', 'Rejected')(platform)
      await platform.clientOf('leaver').delete(path)
      return reply
    },
    'another division': ({ clientOf }) =>
      clientOf('admin').put(`/api/admin/participation/organization/${teams.first.participationId}/student`),
    'a started instance': ({ clientOf }) => clientOf('first').post(`${path}/container/${challenges.hitch.id}`),
    'an answer to a question': ({ clientOf }) =>
      clientOf('first').put(`${path}/answers`, { answers: [{ questionId: question.id, values: ['Vegan'] }] }),
    'a writeup': ({ clientOf }) =>
      clientOf('first').upload('POST', `${path}/writeup`, [
        { name: 'writeup.pdf', type: 'application/pdf', content: '%PDF-1.7 mine' },
      ]),
  }
}

/** Returns the changes by the active team, which are equal on both platforms. */
function ownChanges({ game, challenges, hintId }: FrozenWorld): readonly Change[] {
  const path = `/api/game/${game.id}/challenges`
  const post =
    (call: string, by: 'active' | 'mate', address: string, body: unknown): Change =>
    async ({ clientOf, answers }) => {
      const reply = await clientOf(by).post(`${path}/${address}`, body)
      answers.push({ call, request: `${by} ${address}`, content: contentOf(reply) })
      return reply
    }
  return [
    post('judgeFlag', 'active', `${challenges.rope.id}/verdict`, { flag: 'flag{wrong}' }),
    post('judgeFlag', 'active', `${challenges.knot.id}/verdict`, { flag: flagOf('knot', 'active') }),
    post('buyHint', 'mate', `${challenges.rope.id}/hints/${hintId}`, { price: 20 }),
    post('submitFlag', 'mate', String(challenges.rope.id), { flag: flagOf('rope', 'active') }),
  ]
}

async function solvedOf({ clientOf }: Platform, { game, teams }: FrozenWorld, team: TeamName): Promise<number> {
  const board = (await clientOf('monitor').get(`/api/game/${game.id}/scoreboard?view=live`)).json() as {
    items: { id: number; solvedCount: number }[]
  }
  return board.items.find(({ id }) => id === teams[team].id)?.solvedCount ?? 0
}

/**
 * Plays the time after the freeze. Own changes have the same times on all platforms, and the other changes are between them.
 * @returns everything that the readers read afterwards, and the changes that were refused
 */
async function play(world: FrozenWorld, platform: Platform, changes: readonly Change[], isFrozen: boolean) {
  const refused: Change[] = []
  const { context, clientOf, versions } = platform
  const { game, freeze } = world
  const board = `/api/game/${game.id}/scoreboard`
  await readAll(world, platform)
  const open = await clientOf('visitor').get(board)
  versions.push(String(open.headers[boardVersionHeader]))
  context.clock.set(freeze)
  if (isFrozen)
    await expect.poll(async () => (await clientOf('visitor').get(board)).json().updateTimeUtc, poll).toBe(freeze.toISOString())
  const own = ownChanges(world)
  const stepMs = 60_000
  for (const [index, change] of own.entries()) {
    const share = changes.slice(
      Math.floor((index * changes.length) / own.length),
      Math.floor(((index + 1) * changes.length) / own.length),
    )
    for (const [place, rival] of share.entries()) {
      context.clock.set(new Date(freeze.getTime() + index * stepMs + (place + 1) * 100))
      refused.push(...((await rival(platform)).statusCode >= 400 ? [rival] : []))
    }
    context.clock.set(new Date(freeze.getTime() + (index + 1) * stepMs))
    await change(platform)
  }
  await expect.poll(() => solvedOf(platform, world, 'active'), poll).toBe(2)
  // The unlocks of the team are stored after the build that finds them.
  await expect.poll(async () => (await clientOf('active').get(`/api/game/${game.id}/details`)).body, poll).toContain('Attic')
  return { answers: await readAll(world, platform), refused }
}

/** Compares two platforms with equal histories until the freeze. One of them has no later changes by other teams. */
async function compare({ seed, isFrozen }: Readonly<{ seed: number | undefined; isFrozen: boolean }>) {
  const world = await createFrozenWorld({ isFrozen })
  onTestFinished(() => world.database.drop())
  const named = rivalChanges(world)
  const all = Object.values(named)
  const changes = seed === undefined ? all : fc.sample(fc.shuffledSubarray(all, { minLength: 6 }), { seed, numRuns: 1 })[0]!
  const [quiet, busy] = [await startPlatform(world), await startPlatform(world)]
  const { answers } = await play(world, quiet, [], isFrozen)
  const { answers: others, refused } = await play(world, busy, changes, isFrozen)
  // In a random order, one change can make another one impossible.
  if (seed === undefined) expect(Object.keys(named).filter((name) => refused.includes(named[name]!))).toEqual([])
  expect(others.map(({ call, request }) => `${call} ${request}`)).toEqual(
    answers.map(({ call, request }) => `${call} ${request}`),
  )
  return answers.flatMap((answer, index) => {
    const other = others[index]!
    return answer.content === other.content ? [] : [{ ...answer, other: other.content }]
  })
}

test.each(Array.from({ length: histories }, (_, seed) => seed))(
  'no answer to players and visitors tells what other teams do after the freeze, in history %i',
  async (seed) => {
    expect(await compare({ seed, isFrozen: true })).toEqual([])
  },
)

test('no answer to players and visitors tells any of the changes after the freeze', async () => {
  expect(await compare({ seed: undefined, isFrozen: true })).toEqual([])
})

test('without a freeze, the same comparison finds the changes in each call that shows them', async () => {
  const found = await compare({ seed: undefined, isFrozen: false })
  expect([...new Set(found.map(({ call }) => call))].sort()).toEqual([
    'downloadChain',
    'getChallenge',
    'getChallengeSolvers',
    'getCtftimeFeed',
    'getGame',
    'getLeadingBoard',
    'getPastScoreboard',
    'getPlayerBoard',
    'getScoreboard',
    'getScoreboardRows',
    'getTeam',
    'getTeamProfile',
    'getUserProfile',
    'hub',
    'judgeFlag',
    'listAttempts',
    'listClosedTeams',
    'listInstanceWays',
    'listNotices',
  ])
})
