import type { ProblemCode } from '@capstan/contract/problems'
import type { TokenScope } from '@capstan/contract/tokens'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp } from '../app.ts'
import { sampleTestCases } from '../full-run.ts'
import { type CallName, callNames, createValidRequest, needsNewTestWorld, operationOfCall, sendRequest } from './requests.ts'
import { createTestWorld, type World } from './world.ts'

let context: TestApp
let world: World
beforeAll(async () => {
  context = await startTestApp({ config: { publicOrigin: 'http://localhost' } })
  world = await createTestWorld(context)
})
afterAll(() => context.close())
// Delete the tokens after each test, because the platform limits the number of tokens.
afterEach(() => context.sql`delete from api_tokens`)

/**
 * Scope and games of the token that a call requires.
 * `game`: the token must include the game in the path.
 * `own game`: like `game`, but the scope `WriteChallenges` suffices for a token of only this game.
 * `all`: the token must include all games.
 * `free`: the games of the token do not matter.
 */
type Need = 'nothing opens it' | readonly [TokenScope, 'game' | 'own game' | 'all' | 'free']

/**
 * Expected tokens by method and address; the first match applies. The list is written independently of the table in the
 * contract.
 */
const needs: readonly (readonly [RegExp, Need])[] = [
  // With an API token, a caller cannot play, change accounts or create tokens.
  [/^\w+ \/api\/(account|team|tokens|captcha)(\/|$)/, 'nothing opens it'],
  [/^\w+ \/api\/admin\/signin(\/|$)/, 'nothing opens it'],
  [/^\w+ \/api\/admin\/teams\/\{id\}\/provider$/, 'nothing opens it'],
  [/^(POST|PUT|DELETE) \/api\/admin\/users(\/\{id\}(\/(password|sessions|second-factor))?)?$/, 'nothing opens it'],
  [
    /^\w+ \/api\/game\/\{id\}\/(answers|awards|certificate|check|details|flags|writeup|challenges|container|instances|survey|tickets)(\/|$)/,
    'nothing opens it',
  ],
  [/^(POST|DELETE) \/api\/game\/\{id\}$/, 'nothing opens it'],
  [/^\w+ \/api\/(profiles|game)\/own$/, 'nothing opens it'],
  [/^PUT \/api\/profiles\/teams\//, 'nothing opens it'],
  [/^GET \/api\/profiles\//, ['ReadGame', 'all']],
  // Call that is not part of the contract.
  [/hashsalt/i, 'nothing opens it'],

  [/^GET \/api\/edit\/grant$/, ['ReadGame', 'free']],
  [/^GET \/api\/edit\/sources\//, ['ReadGame', 'all']],
  [/^PUT \/api\/edit\/games\/\{id\}\/source$/, ['WriteChallenges', 'game']],
  [/^PUT \/api\/edit\/games\/\{id\}(\/poster)?$/, ['WritePlatform', 'own game']],
  [/^(POST|PUT|DELETE) \/api\/edit\/games\/\{id\}\/(certificate|divisions)/, ['WritePlatform', 'own game']],
  [/^GET \/api\/edit\/games\/\{id\}/, ['ReadGame', 'game']],
  [/^\w+ \/api\/edit\/games\/\{id\}\/challenges/, ['WriteChallenges', 'game']],
  [/^POST \/api\/edit\/games\/\{id\}\/export$/, ['ReadGame', 'game']],
  [/^POST \/api\/assets$/, ['WriteChallenges', 'free']],
  [/^GET \/api\/edit\/games$/, ['ReadGame', 'all']],
  [/^GET \/api\/admin\/games\/list$/, ['ReadGame', 'all']],
  [/^GET \/api\/edit\/reach$/, ['ReadGame', 'free']],

  [/^GET \/api\/game\/\{id\}\/participations\/.*answers/, ['WritePlatform', 'all']],

  [/^(POST|PUT) \/api\/game\/\{id\}\/monitor\/tickets\//, ['WritePlatform', 'all']],
  [/^GET \/api\/canned-answers$/, ['ReadGame', 'all']],
  [/^\w+ \/api\/canned-answers/, ['WritePlatform', 'all']],

  [/^GET \/api\/game\/captures\//, ['ReadGame', 'all']],
  [/^GET \/api\/game\/(games\/)?\{id\}/, ['ReadGame', 'game']],
  [/^GET \/api\/admin\/writeups\//, ['ReadGame', 'game']],
  [/^GET \/(api\/game|api\/config|api\/posts|api\/feeds|assets)(\/|$)/, ['ReadGame', 'free']],

  [/^\w+ \/api\/(admin|edit|assets|game\/captures)(\/|$)/, ['WritePlatform', 'all']],
]

function needOf(name: CallName): Need {
  const { method, path } = operationOfCall(name)
  const found = needs.find(([form]) => form.test(`${method} ${path}`))
  if (!found) throw new Error(`No expectation matches ${method} ${path}`)
  return found[1]
}

const scopes: readonly TokenScope[] = ['ReadGame', 'WriteChallenges', 'WritePlatform']
const bindings = ['every game', 'the right game', 'another game'] as const
type Binding = (typeof bindings)[number]

function wantedOf(need: Need, scope: TokenScope, binding: Binding): 'ok' | ProblemCode {
  if (need === 'nothing opens it') return 'token.scope'
  const least = need[1] === 'own game' && binding !== 'every game' ? 'WriteChallenges' : need[0]
  if (scopes.indexOf(scope) < scopes.indexOf(least)) return 'token.scope'
  if (binding === 'every game' || need[1] === 'free') return 'ok'
  return need[1] !== 'all' && binding === 'the right game' ? 'ok' : 'token.game'
}

async function aToken(scope: TokenScope, gameId: number | null, expiresIn = 1) {
  const admin = world.userOf('admin')
  const body = { name: `for ${scope}`, scope: scope === 'WritePlatform' ? 'WriteChallenges' : scope, gameId, expiresIn } as const
  const { token, info } = await context.app.tokens.create(admin, body)
  // The api refuses the scope `WritePlatform` for a token of a single game. So set the scope in the database.
  if (scope === 'WritePlatform') await context.sql`update api_tokens set scope = ${scope} where id = ${info.id}`
  return { token, id: info.id }
}

/** Calls that succeed only after the end of a game. */
const ofFinishedGames: ReadonlySet<CallName> = new Set(['downloadGameArchive', 'downloadCertificates', 'downloadTeamCertificate'])

async function ask(name: CallName, token: string) {
  const request = ofFinishedGames.has(name)
    ? { params: { id: world.own.gameId, teamId: world.own.teamId } }
    : await createValidRequest(name, world, context, 'admin')
  return sendRequest(createTestClient(context.app), operationOfCall(name), request, {
    authorization: `Bearer ${token}`,
  })
}

async function outcomeOf(name: CallName, token: string): Promise<string> {
  const answer = await ask(name, token)
  const isSuccess = answer.statusCode < 300
  if (isSuccess && needsNewTestWorld(name)) world = await createTestWorld(context)
  // The error `game.not-over` proves that the api has accepted the token.
  return isSuccess || answer.json().code === 'game.not-over' ? 'ok' : answer.json().code
}

test.each(sampleTestCases(callNames, 8))('accepts only tokens of the right scope and game for %s', async (name) => {
  const found: Record<string, string> = {}
  const wanted: Record<string, string> = {}
  for (const scope of scopes)
    for (const binding of bindings) {
      const gameId = { 'every game': null, 'the right game': world.own.gameId, 'another game': world.foreign.gameId }[binding]
      const cell = `${scope}, ${binding}`
      found[cell] = await outcomeOf(name, (await aToken(scope, gameId)).token)
      wanted[cell] = wantedOf(needOf(name), scope, binding)
    }
  expect(found).toEqual(wanted)
})

test.each(sampleTestCases(callNames, 8))('refuses revoked, expired, altered and deleted tokens in %s', async (name) => {
  const revoked = await aToken('WritePlatform', null)
  await context.app.tokens.setRevoked(revoked.id, true)
  const expired = await aToken('WritePlatform', null)
  await context.sql`update api_tokens set expires_at = ${context.deps.clock.now().toISOString()} where id = ${expired.id}`
  const removed = await aToken('WritePlatform', null)
  await context.app.tokens.remove(removed.id)
  const { token } = await aToken('WritePlatform', null)
  const altered = `${token.slice(0, 5)}${token[5] === 'A' ? 'B' : 'A'}${token.slice(6)}`
  const codes: string[] = []
  for (const each of [revoked.token, expired.token, altered, removed.token]) {
    const answer = await ask(name, each)
    codes.push(`${answer.statusCode} ${answer.json().code}`)
  }
  expect(codes).toEqual(['401 token.revoked', '401 token.expired', '401 token.invalid', '401 token.invalid'])
})
