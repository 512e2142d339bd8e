import { signInTeams } from '@capstan/db/schema/sign-in'
import type { Response } from 'light-my-request'
import type { TestApp } from '../app.ts'
import {
  aPendingLogin,
  type CallInput,
  type CallName,
  createSignInAttempt,
  createValidRequest,
  findPermittedRole,
  operationOfCall,
  sendRequest,
} from './requests.ts'
import type { Actor, World } from './world.ts'

/**
 * Statuses of refusals that depend on the request. 429 and 500 are not among them, because all calls return them for the same
 * reasons.
 */
export type Refusable = 400 | 401 | 403 | 404

type Refusal = Readonly<{
  actor?: Actor
  headers?: Readonly<Record<string, string>>
  /** Changes a valid request, so that the call is refused. */
  spoil?: (good: CallInput, world: World, context: TestApp) => CallInput | Promise<CallInput>
}>

/** Reason why no test can cause a documented refusal. */
export const impossible: Readonly<Record<string, string>> = {
  'resetLogo 400': 'the call takes no input, and an absent logo is no fault',
  'verifyTeamToken 500': 'a calculation that touches nothing outside itself',
  'createPowChallenge 404': 'proof of work is configured here, unlike in captcha/routes.int.test.ts',
  'getOwnSession 500': 'here a visitor asks, for whom nothing is read',
}

const unknownNumber = 2_000_000_000
const unknownId = '00000000-0000-4000-8000-000000000000'

function withParams(params: (world: World) => Record<string, string | number>): NonNullable<Refusal['spoil']> {
  return (good, world) => ({ ...good, params: { ...good.params, ...params(world) } })
}
function withBody(body: (world: World) => unknown): NonNullable<Refusal['spoil']> {
  return (good, world) => ({ ...good, body: body(world) })
}

function withView(view: string): NonNullable<Refusal['spoil']> {
  return (good) => ({ ...good, query: { ...good.query, view } })
}
/** Refusals of calls that return a board. */
const boardRefusals = {
  400: { spoil: withView('both') },
  401: { actor: 'visitor', spoil: withView('live') },
  403: { actor: 'user', spoil: withView('live') },
} satisfies Partial<Record<Refusable, Refusal>>

const bannedLogin: Refusal = {
  spoil: async (good, { clients, userOf }, context) => {
    await aPendingLogin(context, clients.visitor, userOf('banned').id)
    return good
  },
}

/** Special ways to cause a refusal, by call and status. */
const special: Partial<Record<CallName, Partial<Record<Refusable, Refusal>>>> = {
  downloadMergedCaptures: { 400: { spoil: (good) => ({ ...good, query: { container: '' } }) } },
  logIn: { 401: { spoil: (good) => ({ body: { ...(good.body as object), password: 'Wrong1word' } }) } },
  finishLogin: { 401: bannedLogin },
  getLoginFactors: {
    400: {
      spoil: (good, { clients }) => {
        clients.visitor.cookies.delete('capstan_login')
        return good
      },
    },
    401: bannedLogin,
  },
  finishPasskeyLogin: { 401: bannedLogin },
  countGameMailRecipients: { 400: { spoil: (good) => ({ ...good, query: { onlyAccepted: 'perhaps' } }) } },
  unsubscribe: { 400: { spoil: (good) => ({ ...good, query: { token: 'forged' } }) } },
  verifyAccount: { 401: { spoil: (good) => ({ body: { ...(good.body as object), token: 'd3Jvbmc=' } }) } },
  verifyTeamToken: {
    401: { spoil: (good, { games }) => ({ body: { ...(good.body as object), publicKey: games[1]!.publicKey } }) },
  },
  startSignIn: {
    401: { spoil: (good) => ({ ...good, body: { purpose: 'Link' } }) },
    403: { spoil: (good) => ({ ...good, body: { purpose: 'Link' } }) },
    404: { spoil: withParams(() => ({ key: 'absent' })) },
  },
  finishSignIn: {
    401: {
      spoil: async (good, { clients }, context) => ({
        ...good,
        params: { key: await createSignInAttempt(context, clients.visitor, 'Link', unknownId) },
      }),
    },
    403: {
      spoil: async (good, { clients, userOf }, context) => ({
        ...good,
        params: { key: await createSignInAttempt(context, clients.banned, 'Link', userOf('banned').id) },
      }),
    },
    404: { spoil: withParams(() => ({ key: 'absent' })) },
  },
  deleteOwnIdentity: {
    400: { spoil: withParams(() => ({ key: 'No Key' })) },
    404: { spoil: withParams(() => ({ key: 'absent' })) },
  },
  deleteTeamProvider: {
    400: {
      spoil: async (good, _world, { db }) => {
        await db.delete(signInTeams)
        return good
      },
    },
  },
  requestPasswordReset: { 404: { spoil: withBody(() => ({ email: 'nobody@example.org' })) } },
  // Every user may log out, so only a request from another site gets status 403.
  logOut: { 403: { actor: 'captain', headers: { origin: 'https://elsewhere.example' } } },
  logOutOfProvider: { 403: { actor: 'captain', headers: { origin: 'https://elsewhere.example' } } },
  searchUsers: { 400: { spoil: () => ({}) } },
  searchTeams: { 400: { spoil: () => ({}) } },
  getScoreboard: { 400: boardRefusals[400] },
  getScoreboardRows: boardRefusals,
  getPastScoreboard: boardRefusals,
  getLeadingBoard: boardRefusals,
  getScoreboardEmbed: { 400: { spoil: (good) => ({ ...good, query: { count: 'many' } }) } },
  getGameBadge: { 400: { spoil: (good) => ({ ...good, query: { team: 'none' } }) } },
  getChallengeSolvers: boardRefusals,
  listChallengeMarks: boardRefusals,
  downloadChain: { 400: { spoil: (good) => ({ ...good, query: { after: 'many' } }) } },
  uploadFiles: {
    400: {
      spoil: (good, _world, { deps }) => ({
        ...good,
        file: { ...good.file!, content: Buffer.alloc(deps.config.maxAttachmentBytes + 1) },
      }),
    },
  },
  createWebhook: { 404: { spoil: (good) => ({ body: { ...(good.body as object), gameId: unknownNumber } }) } },
  readContainerLog: { 400: { spoil: (good) => ({ ...good, query: { follow: 'perhaps' } }) } },
  previewCertificate: { 400: { spoil: (good) => ({ ...good, query: { ranked: 'perhaps' } }) } },
  downloadOwnCertificate: { 400: { spoil: (good) => ({ ...good, query: { team: 'perhaps' } }) } },
  downloadTeamCertificate: { 400: { spoil: (good, { own }) => ({ params: { ...good.params, id: own.gameId } }) } },
  downloadCertificates: { 400: { spoil: withParams(({ own }) => ({ id: own.gameId })) } },
  downloadGameArchive: { 400: { spoil: withParams(({ own }) => ({ id: own.gameId })) } },
  findSourcedGame: { 400: { spoil: withParams(() => ({ name: 'No Name' })) } },
  createToken: { 404: { spoil: (good) => ({ body: { ...(good.body as object), gameId: unknownNumber } }) } },
  deleteToken: { 400: { spoil: (good) => ({ ...good, query: { delete: 'perhaps' } }) } },
  setParticipationStatus: { 400: { spoil: (good) => ({ ...good, query: { withinLimit: 'perhaps' } }) } },
  putTeamMember: { 400: { spoil: (good) => ({ ...good, query: { from: 'elsewhere' } }) } },
  deleteUser: { 400: { spoil: withParams(({ userOf }) => ({ id: userOf('admin').id })) } },
}

function isUuid(value: string | number): boolean {
  return /^[0-9a-f]{8}-/.test(String(value))
}

/** Replaces the ids in a request by unknown ids. */
function unknownThing(good: CallInput): CallInput {
  const params = Object.fromEntries(
    Object.entries(good.params ?? {}).map(([name, value]) => {
      if (isUuid(value)) return [name, unknownId]
      if (typeof value === 'number') return [name, unknownNumber]
      return [name, /^[0-9a-f]{64}$/.test(value) ? '0'.repeat(64) : /^[0-9a-f]{8}$/.test(value) ? '00000000' : value]
    }),
  )
  return { ...good, params }
}

/** Makes a request invalid. */
function wrongInput(name: CallName, good: CallInput): CallInput {
  const { body, upload, query, params } = operationOfCall(name)
  if (body) return { ...good, body: null }
  if (upload) return { ...good, file: { field: upload.field, name: 'a.bin', type: 'text/plain', content: Buffer.alloc(0) } }
  if (query) return { ...good, query: { ...good.query, count: 'many' } }
  if (!params) throw new Error(`A request for ${name} cannot be invalid`)
  return { ...good, params: Object.fromEntries(Object.keys(good.params ?? {}).map((key) => [key, 'none'])) }
}

function refusedActor(name: CallName, status: Refusable): Actor {
  if (status === 401) return 'visitor'
  if (status !== 403) return findPermittedRole(name)
  const { access } = operationOfCall(name)
  return access === 'admin' || access === 'monitor' ? 'user' : access === 'captain' ? 'member' : 'banned'
}

/** Sends a request that must be refused with `status`. @returns the response */
export async function expectRefusal(name: CallName, status: Refusable, world: World, context: TestApp): Promise<Response> {
  const { actor = refusedActor(name, status), headers, spoil } = special[name]?.[status] ?? {}
  const good = await createValidRequest(name, world, context, findPermittedRole(name))
  const general =
    status === 400 ? wrongInput : status === 404 ? (_: CallName, input: CallInput) => unknownThing(input) : undefined
  const input = spoil ? await spoil(good, world, context) : (general?.(name, good) ?? good)
  return sendRequest(world.clients[actor], operationOfCall(name), input, headers)
}
