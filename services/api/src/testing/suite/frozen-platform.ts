import { ownTeamNews } from '@capstan/contract/events'
import type { WebhookWrite } from '@capstan/contract/webhooks'
import { createWebhookSender } from '../../games/webhooks/sender.ts'
import type { FencedFetch } from '../../server/outgoing/fenced-fetch.ts'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../app.ts'
import type { FrozenWorld, TeamName } from './frozen-world.ts'
import { addressOfRequest, type CallInput, type CallName, callNames, operationOfCall } from './requests.ts'

/** Calls whose responses differ even on equal platforms, with the reason. */
const incomparable: Partial<Record<CallName, string>> = {
  createPowChallenge: 'returns a random challenge',
}

/** Random request id in the body of a refusal. */
const requestId = /"requestId":"[\w-]+"/

/** Calls that read notices or the page of a game. The leak test makes these calls for all games. */
const callsOfAllGames: readonly CallName[] = ['getGame', 'listNotices', 'getNoticeFeed']

/**
 * Users whose responses the tests compare. `calm` does nothing after the freeze, `active` and `mate` are one team with later
 * solves.
 */
export const allReaders = ['visitor', 'outsider', 'calm', 'active', 'mate'] as const
export type Reader = (typeof allReaders)[number]

/** Returns the calls that read something and that at least one player or visitor may call. */
const reads = callNames.filter((name) => {
  const { method, access } = operationOfCall(name)
  return method === 'GET' && ['anonymous', 'user', 'captain', 'participant'].includes(access) && !(name in incomparable)
})

export type Platform = Readonly<{
  context: TestApp
  clientOf(name: TeamName | Reader | 'admin' | 'monitor' | 'deckhand'): TestClient
  /** Sends events to the webhook of the platform. @returns the messages of all events */
  deliver(): Promise<readonly string[]>
  /** Version of the board right before the freeze. */
  versions: string[]
  /** Responses to the changes that the test makes on both platforms after the freeze. */
  answers: Answer[]
}>

export type Answer = Readonly<{
  call: string
  /** Caller and address of the request. */
  request: string
  content: string
}>

/** Returns inputs for each parameter that an address needs. */
function inputsOf(
  name: CallName,
  { game, full, open, challenges, teams, userIds, freeze }: FrozenWorld,
  { versions }: Platform,
): CallInput[] {
  const { path, query } = operationOfCall(name)
  const all = (key: string): readonly (string | number)[] => {
    if (key === 'cid')
      return (path.includes('{sid}') ? [challenges.rope, challenges.knot] : Object.values(challenges)).map(({ id }) => id)
    if (key === 'sid') return [1, 2, 3, 4, 5]
    if (key === 'fid' || key === 'tid') return ['00000000-0000-4000-8000-000000000000']
    if (key === 'hash') return ['0'.repeat(64)]
    if (key === 'name') return ['poster.webp']
    if (/^\/api\/(team|profiles\/teams)\//.test(path)) return Object.values(teams).map(({ id }) => id)
    if (path.startsWith('/api/profiles/users/')) return userIds
    if (path.startsWith('/api/posts/')) return ['00000000']
    if (callsOfAllGames.includes(name)) return [game.id, full.id, open.id]
    if (/^\/api\/(game|profiles\/games)\/\{id\}/.test(path)) return [game.id]
    throw new Error(`Got no values for {${key}} of ${name}`)
  }
  const { properties = {} } = (query ?? {}) as { properties?: object }
  const views: NonNullable<CallInput['query']>[] = 'view' in properties ? [{}, { view: 'live' }] : [{}]
  const queries: NonNullable<CallInput['query']>[] =
    name === 'getScoreboardRows'
      ? [...versions, '1', '999999999999999'].map((since) => ({ since }))
      : name === 'getPastScoreboard'
        ? [0, freeze.getTime(), freeze.getTime() + 3_600_000].map((at) => ({ at }))
        : name === 'getGameBadge'
          ? [{}, ...Object.values(teams).map(({ id }) => ({ team: id }))]
          : [{}]
  const keys = [...path.matchAll(/\{(\w+)\}/g)].map(([, key]) => key!)
  const params = keys.reduce<Record<string, string | number>[]>(
    (before, key) => before.flatMap((one) => all(key).map((value) => ({ ...one, [key]: value }))),
    [{}],
  )
  return params.flatMap((one) => queries.flatMap((each) => views.map((view) => ({ params: one, query: { ...each, ...view } }))))
}

export type Reply = Awaited<ReturnType<TestClient['get']>>

export function comparableContentOf({ statusCode, headers, rawPayload }: Reply): string {
  const body = rawPayload.toString('latin1')
  const comparable = Object.entries(headers).filter(([name]) => name !== 'date')
  return `${statusCode} ${JSON.stringify(comparable.sort())}\n${body.replace(requestId, '')}`
}

export async function startFrozenPlatform({ database, sessions, teams, game, freeze }: FrozenWorld): Promise<Platform> {
  const events: string[] = []
  const outgoing: FencedFetch = {
    check: (address) => new URL(address),
    request: async (_address, { body = '' } = {}) => {
      events.push(body)
      return { status: 200, headers: {}, text: '' }
    },
  }
  const context = await startTestApp({ template: database.name, deps: { outgoing } })
  context.clock.set(new Date(freeze.getTime() - 1_000))
  const clients = new Map<string, TestClient>()
  const cookieOf = (name: string) =>
    name in teams ? teams[name as TeamName].session : (sessions as Readonly<Record<string, string>>)[name]
  const clientOf: Platform['clientOf'] = (name) => {
    const client = clients.get(name) ?? createTestClient(context.app)
    const [key, token] = cookieOf(name)?.split('=') ?? []
    if (key && token) client.cookies.set(key, token)
    clients.set(name, client)
    return client
  }
  const webhook: WebhookWrite = {
    ...{ name: 'Chat', service: 'Json', address: 'https://chat.example.org', authorization: null, gameId: game.id },
    ...{ kinds: ['Solve', 'FirstBlood', 'SecondBlood', 'ThirdBlood'], isForOrganizers: false, language: 'en-US' },
    ...{ template: '{"text":"{message}"}', isEnabled: true },
  }
  await clientOf('admin').post('/api/admin/webhooks', webhook)
  const sender = createWebhookSender({ ...context.deps, log: context.app.log })
  const deliver = async () => {
    await sender.deliver()
    return events
  }
  return { context, clientOf, deliver, versions: [], answers: [] }
}

/** Collects the responses to all read calls of the given users. */
export async function readAllResponses(world: FrozenWorld, platform: Platform, readers: readonly Reader[]): Promise<Answer[]> {
  const readAs = async (reader: Reader): Promise<Answer[]> => {
    const answers: Answer[] = []
    for (const call of reads)
      for (const [index, input] of inputsOf(call, world, platform).entries()) {
        const address = addressOfRequest(operationOfCall(call), input)
        const reply = await platform.clientOf(reader).get(address)
        const request = call === 'getScoreboardRows' ? `${reader} version ${index}` : `${reader} ${address}`
        answers.push({ call, request, content: comparableContentOf(reply) })
      }
    return answers
  }
  const answers = (await Promise.all(Array.from(new Set(readers), readAs))).flat()
  const { app, deps, messages } = platform.context
  const authorization = `Bearer ${deps.config.internalToken}`
  const page = await app.inject({ url: '/internal/page-settings', headers: { authorization } })
  const pushed = messages.filter(({ kind }) => kind === 'notice')
  const own = [world.teams.calm.captainId, world.teams.active.captainId]
  const news = messages.filter(
    (message) =>
      (message.kind === 'team-instances' || message.kind === 'ticket') && message.userIds.some((id) => own.includes(id)),
  )
  // Only organizers download the archive, but they give it to players.
  const archive = await platform.clientOf('admin').get(`/api/edit/games/${world.game.id}/archive`)
  return [
    ...answers,
    ...platform.answers,
    { call: 'downloadGameArchive', request: 'admin', content: comparableContentOf(archive) },
    { call: 'webhook', request: 'events', content: JSON.stringify(await platform.deliver()) },
    { call: 'page', request: 'visitor', content: comparableContentOf(page) },
    { call: 'hub', request: 'notices', content: JSON.stringify(pushed) },
    { call: 'hub', request: ownTeamNews.query, content: JSON.stringify(news) },
  ]
}
