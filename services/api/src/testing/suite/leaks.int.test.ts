import { gunzipSync } from 'node:zlib'
import { unzipSync } from 'fflate'
import type { Response } from 'light-my-request'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openGameKey } from '../../rules/signing/game-keys.ts'
import { hashToken } from '../../server/sessions/session-token.ts'
import { startTestApp, type TestApp } from '../app.ts'
import { isFullRun } from '../full-run.ts'
import { type CallName, callNames, createValidRequest, operationOfCall, sendRequest } from './requests.ts'
import { type Actor, createTestWorld, password, roles, type World } from './world.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp({ config: { publicOrigin: 'http://localhost' } })
})
afterAll(() => context.close())

type Canary = Readonly<{
  name: string
  text: string
  /**
   * Roles that can read the secret in some response. The test fails if another role can read it, or if one of these roles cannot
   * read it.
   */
  seenBy: readonly Actor[]
  /** True if the platform log must never contain the secret. */
  isUnloggable?: boolean
}>

const noActors: readonly Actor[] = []
const organizers: readonly Actor[] = ['monitor', 'admin']

function canariesOf(world: World): Canary[] {
  const { secrets, inviteTokens, tokens, games } = world
  const personal = (actor: Exclude<Actor, 'visitor'>, seenBy: readonly Actor[]): Canary[] =>
    (['email', 'realName', 'stdNumber', 'phone'] as const).map((field) => ({
      name: `${field} of ${actor}`,
      text: String(world.userOf(actor)[field]),
      seenBy: roles.filter((role) => role === actor || seenBy.includes(role)),
    }))
  return [
    { name: 'a flag', text: secrets.staticFlag, seenBy: ['admin'], isUnloggable: true },
    { name: 'a pattern of flags', text: secrets.pattern, seenBy: ['admin'], isUnloggable: true },
    { name: 'a flag of the other game', text: secrets.foreignFlag, seenBy: ['admin'], isUnloggable: true },
    { name: 'flag of team A', text: secrets.assignedToA, seenBy: noActors, isUnloggable: true },
    { name: 'flag of team B', text: secrets.assignedToB, seenBy: noActors, isUnloggable: true },
    { name: 'an answer', text: secrets.answer, seenBy: organizers, isUnloggable: true },
    {
      name: 'a wrong answer of team A',
      text: secrets.wrongOfA,
      seenBy: ['member', 'captain', ...organizers],
      isUnloggable: true,
    },
    { name: 'a wrong answer of team B', text: secrets.wrongOfB, seenBy: ['other', ...organizers], isUnloggable: true },
    { name: 'token of team A', text: secrets.tokenOfA, seenBy: ['member', 'captain'], isUnloggable: true },
    { name: 'token of team B', text: secrets.tokenOfB, seenBy: ['other'], isUnloggable: true },
    { name: 'invitation of team A', text: inviteTokens.a, seenBy: ['captain'], isUnloggable: true },
    { name: 'invitation of team B', text: inviteTokens.b, seenBy: noActors, isUnloggable: true },
    { name: 'code of a game', text: secrets.gameCode, seenBy: ['admin'], isUnloggable: true },
    { name: 'code of a division', text: secrets.divisionCode, seenBy: ['admin'], isUnloggable: true },
    { name: 'title of a disabled challenge', text: secrets.disabledTitle, seenBy: ['monitor', 'admin'] },
    { name: 'text of a disabled challenge', text: secrets.disabledContent, seenBy: ['admin'] },
    { name: 'title of a hidden locked challenge', text: secrets.lockedTitle, seenBy: ['monitor', 'admin'] },
    { name: 'text of a hidden locked challenge', text: secrets.lockedContent, seenBy: ['admin'] },
    { name: 'hint of a disabled challenge', text: secrets.disabledHint, seenBy: ['admin'] },
    { name: 'hint that no team has bought', text: secrets.pricedHint, seenBy: organizers },
    { name: 'title of a challenge before the start', text: secrets.unstartedTitle, seenBy: noActors },
    { name: 'text of a challenge before the start', text: secrets.unstartedContent, seenBy: noActors },
    { name: 'title of a hidden game', text: secrets.hiddenTitle, seenBy: ['admin'] },
    { name: 'image of a challenge', text: secrets.image, seenBy: ['admin'] },
    { name: 'a secret variable of a container', text: secrets.containerSecret, seenBy: noActors, isUnloggable: true },
    { name: 'hash of a writeup', text: world.writeupHash, seenBy: ['admin'] },
    { name: 'answer for team A', text: secrets.teamAnswer, seenBy: ['captain', ...organizers], isUnloggable: true },
    { name: 'answer of a member', text: secrets.memberAnswer, seenBy: ['member', ...organizers], isUnloggable: true },
    { name: 'ticket of team A', text: secrets.ticketOfA, seenBy: ['member', 'captain', ...organizers], isUnloggable: true },
    { name: 'ticket of team B', text: secrets.ticketOfB, seenBy: ['other', ...organizers], isUnloggable: true },
    { name: 'file of an answer', text: secrets.answerFile, seenBy: ['captain', ...organizers], isUnloggable: true },
    { name: 'hash of the file', text: world.answerFileHash, seenBy: ['admin'] },
    { name: 'captured traffic', text: world.captured, seenBy: organizers },
    { name: 'a password hash', text: secrets.passwordHash, seenBy: noActors, isUnloggable: true },
    { name: 'a hashed password', text: '$argon2', seenBy: noActors, isUnloggable: true },
    { name: 'a password', text: password, seenBy: noActors, isUnloggable: true },
    { name: 'the internal token', text: context.deps.config.internalToken, seenBy: noActors, isUnloggable: true },
    ...[...tokens].flatMap(([actor, token]) => [
      { name: `session of ${actor}`, text: token, seenBy: noActors, isUnloggable: true },
      { name: `stored session of ${actor}`, text: hashToken(token), seenBy: noActors, isUnloggable: true },
    ]),
    ...games.flatMap((game) => [
      { name: 'a sealed private key', text: game.privateKey, seenBy: noActors, isUnloggable: true },
      {
        name: 'a private key',
        text: openGameKey(game, context.deps.config.secretKey).toString('base64'),
        seenBy: noActors,
        isUnloggable: true,
      },
    ]),
    ...personal('user', ['admin']),
    // Monitors can read the personal data of players in downloaded spreadsheets.
    ...personal('captain', organizers).filter(({ name }) => !name.startsWith('email')),
    ...personal('other', organizers).filter(({ name }) => !name.startsWith('email')),
    { name: 'address of the captain', text: world.userOf('captain').email, seenBy: ['captain', ...organizers] },
    { name: 'address of the other', text: world.userOf('other').email, seenBy: ['other', 'admin'] },
  ]
}

/** Returns all readable text of a response: headers, body, and the files in spreadsheets and archives. */
function readable({ headers, rawPayload }: Response): string {
  const isZip = rawPayload.subarray(0, 2).toString('latin1') === 'PK'
  const isGzip = rawPayload[0] === 0x1f && rawPayload[1] === 0x8b
  const bytes = isZip ? Object.values(unzipSync(rawPayload)) : [isGzip ? gunzipSync(rawPayload) : rawPayload]
  return [JSON.stringify(headers), ...bytes.map((part) => Buffer.from(part).toString('utf8'))].join('\n')
}

/** Orders calls: reads first, then changes, then deletions. */
const inOrder = (['GET', 'POST', 'PUT', 'DELETE'] as const).flatMap((method) =>
  callNames.filter((name) => operationOfCall(name).method === method),
)
const sheets: readonly CallName[] = [
  'downloadScoreboard',
  'downloadScoreboardCsv',
  'downloadSubmissions',
  'downloadSubmissionsCsv',
]

/** Collects the responses that one role gets from all calls. */
async function readEverything(world: World, actor: Actor): Promise<{ name: CallName; text: string }[]> {
  const texts: { name: CallName; text: string }[] = []
  const client = world.clients[actor]
  const attempt = async (name: CallName, target: 'own' | 'foreign') => {
    const answer = await sendRequest(client, operationOfCall(name), await createValidRequest(name, world, context, actor, target))
    texts.push({ name, text: readable(answer) })
  }
  for (const name of inOrder.filter((one) => operationOfCall(one).method === 'GET'))
    for (const target of ['own', 'foreign'] as const) await attempt(name, target)
  for (const path of ['details', 'scoreboard', 'notices', 'events', 'submissions', 'cheatinfo', 'scoreboardsheet']) {
    const answer = await client.get(`/api/game/${world.unstartedGameId}/${path}`)
    texts.push({ name: 'getPlayerBoard', text: readable(answer) })
  }
  const endsSession = (name: string) => name === 'logOut' || name === 'logOutOfProvider'
  for (const name of inOrder.filter((one) => operationOfCall(one).method !== 'GET' && !endsSession(one)))
    for (const target of ['foreign', 'own'] as const) await attempt(name, target)
  return texts
}

test.each(isFullRun ? roles : (['visitor', 'other', 'member', 'monitor'] as const))(
  'all responses to %s reveal only the permitted secrets',
  async (actor) => {
    const world = await createTestWorld(context)
    context.messages.splice(0)
    context.logLines.splice(0)
    const texts = await readEverything(world, actor)
    const canaries = canariesOf(world)

    const seen = canaries.filter(({ text }) => texts.some((answer) => answer.text.includes(text))).map(({ name }) => name)
    expect(seen).toEqual(canaries.filter(({ seenBy }) => seenBy.includes(actor)).map(({ name }) => name))

    if (actor === 'monitor') {
      const mine = String(world.userOf('monitor').email)
      const personal = canaries.filter(({ name }) => /(email|realName|stdNumber|phone|address) of/.test(name))
      const elsewhere = texts
        .filter(({ name }) => !sheets.includes(name))
        .filter(({ text }) => personal.some((canary) => canary.text !== mine && text.includes(canary.text)))
      expect(elsewhere.map(({ name }) => name)).toEqual([])
    }

    const notices = JSON.stringify(context.messages.filter(({ kind }) => kind === 'notice'))
    expect(canaries.filter(({ text }) => notices.includes(text)).map(({ name }) => name)).toEqual([])
    const monitored = JSON.stringify(context.messages.filter(({ kind }) => kind === 'event' || kind === 'submission'))
    expect(
      canaries.filter(({ text, seenBy }) => !seenBy.includes('monitor') && monitored.includes(text)).map(({ name }) => name),
    ).toEqual([])
    const log = JSON.stringify(context.logLines)
    expect(canaries.filter(({ text, isUnloggable }) => isUnloggable && log.includes(text)).map(({ name }) => name)).toEqual([])
  },
)

test('only monitors and admins see the flag of another team that a player submitted', async () => {
  const world = await createTestWorld(context)
  const { own, secrets, clients } = world
  context.messages.splice(0)
  context.logLines.splice(0)
  const address = `/api/game/${own.gameId}/challenges/${own.runningId}`
  const submitted = await clients.captain.post(address, { flag: secrets.assignedToB })
  const status = await clients.captain.get(`${address}/status/${submitted.body}`)
  expect(status.json()).toBe('WrongAnswer')
  expect(
    context.messages.filter((message) => JSON.stringify(message).includes(secrets.assignedToB)).map(({ kind }) => kind),
  ).toEqual(['event', 'submission'])
  expect(JSON.stringify(context.logLines)).not.toContain(secrets.assignedToB)
  for (const actor of roles) {
    const texts = await Promise.all(
      (
        ['listEvents', 'listSubmissions', 'listCheats', 'listNotices', 'getScoreboard', 'getPlayerBoard', 'getChallenge'] as const
      ).map(async (name) =>
        readable(await sendRequest(clients[actor], operationOfCall(name), await createValidRequest(name, world, context, actor))),
      ),
    )
    expect([actor, texts.some((text) => text.includes(secrets.assignedToB))]).toEqual([
      actor,
      ['monitor', 'admin'].includes(actor),
    ])
  }
})
