import { randomBytes, randomUUID } from 'node:crypto'
import type { Challenge } from '@capstan/contract/challenge'
import { defaultContainer } from '@capstan/contract/challenge-parts'
import type { Operation } from '@capstan/contract/operation'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { SignInPurpose } from '@capstan/contract/sign-in'
import type { WebhookWrite } from '@capstan/contract/webhooks'
import { mailTokens, sessions, users } from '@capstan/db/schema/accounts'
import { flags, foundFlags } from '@capstan/db/schema/challenges'
import { certificateTemplates, divisions } from '@capstan/db/schema/games'
import { passkeys, recoveryCodes, totpFactors } from '@capstan/db/schema/second-factor'
import { signInIdentities, signInProviders, signInTeams } from '@capstan/db/schema/sign-in'
import { teams } from '@capstan/db/schema/teams'
import { cannedAnswers, ticketMessages, tickets } from '@capstan/db/schema/tickets'
import { apiTokens } from '@capstan/db/schema/tokens'
import { webhookDeliveries, webhooks } from '@capstan/db/schema/webhooks'
import { eq } from 'drizzle-orm'
import { Secret, TOTP } from 'otpauth'
import { createChallengeFileText, createPackageZip, createZipFile } from '../../challenges/archives/testing/zip.ts'
import { aChallengeRow, createExportZip, createSettingRows } from '../../challenges/imports/testing/ctfd-export.ts'
import { getHashSalt } from '../../games/editing/edit-routes.ts'
import { sealUnsubscribeToken } from '../../games/mail/unsubscribe-token.ts'
import { createWebhook } from '../../games/webhooks/service.ts'
import { hashRecoveryCode } from '../../people/second-factor/codes.ts'
import { sealPendingLogin } from '../../people/second-factor/pending-login.ts'
import { createAuthenticator } from '../../people/second-factor/testing/authenticator.ts'
import { verifyPasskeySetup } from '../../people/second-factor/webauthn.ts'
import { sealSignInAttempt } from '../../people/sign-in/attempt.ts'
import { openGameKey } from '../../rules/signing/game-keys.ts'
import { cryptoRandom } from '../../rules/signing/random.ts'
import { sealValue } from '../../rules/signing/sealed-value.ts'
import { sealText } from '../../rules/signing/secret-box.ts'
import { defaultTokenPrefix, signTeamToken } from '../../rules/signing/team-token.ts'
import { hashToken } from '../../server/sessions/session-token.ts'
import type { TestApp, TestClient } from '../app.ts'
import { aSession } from '../factories.ts'
import { aGame, aParticipation, aSubmission, aChallenge as aTask } from '../organizing-factories.ts'
import { type Actor, image, memberQuestion, type Objects, password, type World } from './world.ts'

const aFullChallenge: Challenge = {
  ...{ title: 'Whole', category: 'Web', type: 'StaticAttachment', tags: ['heap'], difficulty: 'hard', enabled: true },
  ...{
    description: 'All of it.',
    points: 300,
    minimumShare: 0.5,
    decay: 7,
    bloods: true,
    unlock: null,
    release: null,
    deadline: Date.UTC(2030, 0, 1),
    curve: 'exponential',
    isValueFixed: false,
    submissionLimit: 5,
    cooldownSeconds: 30,
    hints: [{ text: 'Look.', price: 0 }],
  },
  flags: [{ flag: 'flag{whole}', file: null }],
  ...{ template: '', attachment: null, attachmentName: 'attachment', containers: [defaultContainer] },
}

// Calls that the gateway serves. The api has no routes for them.
const { proxyInstance: _instance, proxyTestContainer: _test, ...served } = operations
// A WebSocket, which `terminals.int.test.ts` tests.
const { openTerminal: _terminal, ...ownCalls } = ownOperations
const calls = { ...served, ...ownCalls, getHashSalt } as const
export type CallName = keyof typeof calls

export const callNames = Object.keys(calls) as CallName[]
export function operationOfCall(name: CallName): Operation {
  return calls[name]
}

/** Returns a role that may make the call, and for which the request of `createValidRequest` succeeds. */
export function findPermittedRole(name: CallName): Actor {
  const exceptions: Partial<Record<CallName, Actor>> = {
    changePassword: 'user',
    startTotp: 'user',
    startPasskey: 'user',
    removePasskey: 'user',
    renewRecoveryCodes: 'user',
    removeSecondFactor: 'user',
    createTeam: 'user',
    acceptInvite: 'user',
    leaveTeam: 'member',
    listOwnGames: 'captain',
  }
  const byAccess = {
    anonymous: 'visitor',
    user: 'captain',
    captain: 'captain',
    participant: 'captain',
    monitor: 'monitor',
    admin: 'admin',
  } as const
  return exceptions[name] ?? byAccess[operationOfCall(name).access]
}

/** Valid request, which succeeds for any role with the required rights. */
export type CallInput = Readonly<{
  params?: Record<string, string | number>
  query?: Record<string, string | number | boolean>
  body?: unknown
  file?: { field: string; name: string; type: string; content: Buffer }
}>

function base64(text: string) {
  return Buffer.from(text).toString('base64')
}

/** Creates a token for a link that is sent by mail. */
async function mailedToken(context: TestApp, userId: string, purpose: 'activation' | 'reset' | 'address-change', email: string) {
  const token = `mailed.${purpose}.${userId}`
  await context.db
    .insert(mailTokens)
    .values({ tokenHash: hashToken(token), userId, purpose, email, expiresAt: new Date(Date.now() + 600_000) })
    .onConflictDoNothing()
  return { token: base64(token), email: base64(email) }
}

/** Creates an API token. @returns the id of the token */
async function aToken(context: TestApp, world: World): Promise<string> {
  const [row] = await context.db
    .insert(apiTokens)
    .values({ name: `token ${world.tag}`, creatorId: world.userOf('admin').id, scope: 'ReadGame' })
    .returning()
  return row!.id
}

const imageFile = { field: 'file', name: 'logo.png', type: 'image/png', content: image }
const archiveFile = {
  field: 'file',
  name: 'challenges.zip',
  type: 'application/zip',
  content: createZipFile({ 'web/new/capstan.yaml': createChallengeFileText('Brought in') }),
}
const aCertificate = {
  isEnabled: true,
  title: 'Certificate',
  text: '# {team}\nRank {rank}',
  participationText: '# {team}',
  signer: 'The organizers',
  paper: 'A4',
  orientation: 'landscape',
  language: 'en-US',
} as const
const aWebhook = {
  name: 'Chat',
  service: 'Json',
  address: 'https://chat.example.org/hook',
  authorization: null,
  gameId: null,
  kinds: ['Notice'],
  isForOrganizers: false,
  language: 'en-US',
  template: '{"text":"{message}"}',
  isEnabled: true,
} satisfies WebhookWrite
const pdfFile = { field: 'file', name: 'writeup.pdf', type: 'application/pdf', content: Buffer.from('%PDF-1.7 mine') }
function gameWrite(title: string) {
  return {
    title,
    start: new Date(Date.now() - 3600_000).toISOString(),
    end: new Date(Date.now() + 3600_000).toISOString(),
  }
}

type Builder = (objects: Objects, world: World, context: TestApp, actor: Actor) => CallInput | Promise<CallInput>

const ofGame: Builder = ({ gameId }) => ({ params: { id: gameId } })
const ofChallenge: Builder = ({ gameId, challengeId }) => ({ params: { id: gameId, cid: challengeId } })
const ofRunning: Builder = ({ gameId, runningId }) => ({ params: { id: gameId, cid: runningId } })
const ofTeam: Builder = ({ teamId }) => ({ params: { id: teamId } })
const ofMember: Builder = ({ teamId, memberId }) => ({ params: { id: teamId, userId: memberId } })
const ofCaptures: Builder = ({ runningId, participationId }) => ({ params: { cid: runningId, pid: participationId } })
const ofCapture: Builder = ({ runningId, participationId, captureFile }) => ({
  params: { cid: runningId, pid: participationId, file: captureFile },
})
/** Adds a finished game that the team played, with a template of certificates and a survey. */
const ofFinished: Builder = async ({ teamId, captainId, memberId }, _world, { db }) => {
  const game = await aGame(db, { phase: 'ended', survey: 'Named' })
  await aParticipation(db, { gameId: game.id, teamId, memberIds: [...new Set([captainId, memberId])] })
  await db.insert(certificateTemplates).values({ ...aCertificate, gameId: game.id })
  return { params: { id: game.id, teamId } }
}
/** Deletes all webhooks, because the number of webhooks is limited. Then creates a webhook with one delivery. */
const ofWebhook: Builder = async ({ captainId }, _world, { db, deps }) => {
  // Create a game, because an earlier test may have deleted the shared games.
  const game = await aGame(db)
  await db.delete(webhooks)
  const { webhook } = await createWebhook(deps, captainId, aWebhook)
  const [delivery] = await db
    .insert(webhookDeliveries)
    .values({ state: 'Refused', webhookId: webhook.id, kind: 'Notice', gameId: game.id, occurredAt: new Date() })
    .returning({ id: webhookDeliveries.id })
  return { params: { id: webhook.id, deliveryId: delivery!.id } }
}
const ofSpare: Builder = (_objects, { spare }) => ({ params: { id: spare.id } })
const ofDivision: Builder = async ({ gameId }, _world, { db }) => {
  const [division] = await db.select({ id: divisions.id }).from(divisions).where(eq(divisions.gameId, gameId)).limit(1)
  return { params: { id: gameId, did: division?.id ?? 0 } }
}
/** Inserts a correction of an unknown submission, which has no effect on the board. */
const ofCorrection: Builder = async ({ gameId, participationId, challengeId }, _world, { sql }) => {
  const [correction] = await sql<{ id: number }[]>`
    insert into solve_corrections (game_id, challenge_id, participation_id, kind, reason, solved_at, corrected_at)
    select challenges.game_id, challenges.id, participations.id, 'Granted', 'The flag was wrong', now(), now()
    from participations join challenges on challenges.game_id = participations.game_id and challenges.id = ${challengeId}
    where participations.id = ${participationId} returning id`
  return { params: { id: gameId, aid: correction?.id ?? 1 } }
}
const ofAward: Builder = async ({ gameId, participationId }, _world, { sql }) => {
  const [award] = await sql<{ id: number }[]>`
    insert into awards (game_id, participation_id, title, points, awarded_at)
    select game_id, id, 'A talk', 40, now() from participations where id = ${participationId} returning id`
  return { params: { id: gameId, aid: award?.id ?? 1 } }
}
const nothing: Builder = () => ({})
/** Backdates all ticket messages, so that the rate limit for messages does not refuse the request. */
const ofTickets: Builder = async ({ gameId }, _world, { db, clock }) => {
  const old = new Date(clock.now().getTime() - 600_000)
  await db.update(ticketMessages).set({ sentAt: old })
  await db.update(tickets).set({ closedAt: old })
  return { params: { id: gameId } }
}
const ofTicket: Builder = async (...world) => {
  const { params } = await ofTickets(...world)
  return { params: { ...params, tid: world[0].ticketId } }
}
const aCannedAnswer = { title: 'Restart', text: 'Please restart the instance.' }
const ofCannedAnswer: Builder = async (_objects, _world, { db }) => {
  await db.delete(cannedAnswers)
  const [row] = await db.insert(cannedAnswers).values(aCannedAnswer).returning()
  return { params: { id: row!.id } }
}

const aProviderWrite = {
  kind: 'OpenId',
  ...{ name: 'Campus', issuer: 'https://id.example.org', clientId: 'capstan', clientSecret: 'secret', scope: '' },
  claims: {
    ...{ userName: 'preferred_username', realName: 'name', stdNumber: '', adminClaim: '', adminValue: '' },
    ...{ team: 'team', division: 'division' },
  },
  isEnabled: true,
  teamsEachTime: true,
  endsSession: true,
} as const
async function aProvider({ db }: TestApp) {
  const key = `p${randomBytes(8).toString('hex')}`
  const [row] = await db
    .insert(signInProviders)
    .values({ ...aProviderWrite, id: randomUUID(), key, clientSecret: null })
    .returning()
  return row!
}
/** Sets the cookie of a started sign-in, and returns the key of the provider. */
export async function createSignInAttempt(
  context: TestApp,
  client: TestClient,
  purpose: SignInPurpose,
  userId?: string,
): Promise<string> {
  const { id, key } = await aProvider(context)
  const attempt = { providerId: id, purpose, state: 's', nonce: 'n', codeVerifier: 'v', ...(userId && { userId }) }
  const sealed = sealSignInAttempt(
    { ...attempt, expiresAt: context.clock.now().getTime() + 60_000 },
    context.deps.config.secretKey,
  )
  client.cookies.set('capstan_sign_in', sealed)
  return key
}
/** Removes the link between a team and its identity provider. @returns a provider to which the team can be linked */
async function aProviderFor(teamId: number, context: TestApp) {
  await context.db.delete(signInTeams).where(eq(signInTeams.teamId, teamId))
  return aProvider(context)
}
const ofProvider: Builder = async (_objects, _world, context) => ({ params: { id: (await aProvider(context)).id } })

/** Secret of all authenticators of the suite. */
const totpSecret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

/** Gives a user an authenticator and one recovery code. @returns the code */
async function aSecondFactor({ db, clock, deps }: TestApp, userId: string): Promise<string> {
  const code = randomBytes(10).toString('hex')
  const secret = sealText(Buffer.from(totpSecret), `totp ${userId}`, deps.config.secretKey, cryptoRandom)
  await db.insert(totpFactors).values({ userId, secret, lastStep: 0, enabledAt: clock.now() }).onConflictDoNothing()
  await db.insert(recoveryCodes).values({ userId, codeHash: hashRecoveryCode(code) })
  return code
}

async function removeFactors({ db }: TestApp, userId: string): Promise<void> {
  await db.delete(totpFactors).where(eq(totpFactors.userId, userId))
  await db.delete(passkeys).where(eq(passkeys.userId, userId))
}

/** WebAuthn challenge for all passkeys of the suite, in base64url. */
const challenge = Buffer.from('challenge of the suite').toString('base64url')
function aChallenge({ clock }: TestApp) {
  const issuedAt = clock.now().getTime()
  return { challenge, issuedAt, expiresAt: issuedAt + 60_000 }
}

async function aPasskey({ db, clock }: TestApp, userId: string) {
  const passkey = createAuthenticator()
  const credential = await verifyPasskeySetup(
    { id: 'localhost', origin: 'http://localhost' },
    passkey.create(JSON.stringify({ challenge })),
    challenge,
  )
  const row = { ...credential, userId, name: 'Laptop', createdAt: clock.now() }
  const [{ id } = { id: '' }] = await db.insert(passkeys).values(row).returning({ id: passkeys.id })
  return { id, passkey }
}

/** Gives a client the cookie of a login that waits for the second factor. */
export async function aPendingLogin({ db, clock, deps }: TestApp, client: TestClient, userId: string): Promise<void> {
  const [user] = await db.select().from(users).where(eq(users.id, userId))
  client.cookies.set('capstan_login', sealPendingLogin({ user: user!, isLinkWanted: false }, deps.config.secretKey, clock.now()))
}

/** One valid request for every call of the contract. */
const requests: Record<CallName, Builder> = {
  setOwnAvatar: () => ({ file: imageFile }),
  requestEmailChange: (_objects, { tag }) => ({ body: { newMail: `new.${tag}@example.org` } }),
  changePassword: () => ({ body: { old: password, new: `${password}2` } }),
  logIn: (_objects, { spare }) => ({ body: { userName: spare.userName, password } }),
  logOut: nothing,
  logOutOfProvider: nothing,
  confirmEmailChange: async (_objects, world, context, actor) => {
    const { id } = actor === 'visitor' ? world.spare : world.userOf(actor)
    return { body: await mailedToken(context, id, 'address-change', `changed.${actor}.${world.tag}@example.org`) }
  },
  resetPassword: async (_objects, { spare }, context) => {
    const { token, email } = await mailedToken(context, spare.id, 'reset', spare.email)
    return { body: { rToken: token, email, password: `${password}3` } }
  },
  getOwnProfile: nothing,
  getOwnSession: nothing,
  requestPasswordReset: (_objects, { spare }) => ({ body: { email: spare.email } }),
  register: (_objects, { tag }, _context, actor) => ({
    body: { userName: `${actor.slice(0, 3)}.${tag}`, password, email: `${actor}.${tag}@example.org` },
  }),
  updateOwnProfile: () => ({ body: { bio: 'new' } }),
  getSignInOptions: nothing,
  startSignIn: async (_objects, _world, context) => ({
    params: { key: (await aProvider(context)).key },
    body: { purpose: 'LogIn' },
  }),
  finishSignIn: async (_objects, world, context, actor) => ({
    params: { key: await createSignInAttempt(context, world.clients[actor], 'LogIn') },
    body: { answer: '?code=c&state=s' },
  }),
  finishLogin: async (_objects, world, context, actor) => {
    const code = await aSecondFactor(context, world.spare.id)
    await aPendingLogin(context, world.clients[actor], world.spare.id)
    return { body: { code } }
  },
  getSecondFactor: nothing,
  startFactorProof: nothing,
  startTotp: async (_objects, world, context, actor) => {
    await removeFactors(context, actor === 'visitor' ? world.spare.id : world.userOf(actor).id)
    return { body: { password } }
  },
  enableTotp: async (_objects, world, context, actor) => {
    const userId = actor === 'visitor' ? world.spare.id : world.userOf(actor).id
    await context.db.delete(totpFactors).where(eq(totpFactors.userId, userId))
    const tokenHash = hashToken(world.clients[actor].cookies.get('capstan_session') ?? '')
    const now = context.clock.now().getTime()
    const plain = Buffer.from(JSON.stringify({ secret: totpSecret, expiresAt: now + 60_000 }))
    const setup = sealText(plain, `totp setup ${userId} ${tokenHash}`, context.deps.config.secretKey, cryptoRandom)
    const code = new TOTP({ secret: Secret.fromBase32(totpSecret) }).generate({ timestamp: now })
    return { body: { setup, code } }
  },
  getLoginFactors: async (_objects, world, context, actor) => {
    await aPendingLogin(context, world.clients[actor], world.spare.id)
    return {}
  },
  finishPasskeyLogin: async (_objects, world, context, actor) => {
    const { passkey } = await aPasskey(context, world.spare.id)
    await aPendingLogin(context, world.clients[actor], world.spare.id)
    context.clock.advanceMs(1)
    const sealed = sealValue(aChallenge(context), `passkey login ${world.spare.id}`, context.deps.config.secretKey)
    return { body: { challenge: sealed, answer: passkey.get(JSON.stringify({ challenge })) } }
  },
  startPasskey: async (_objects, world, context, actor) => {
    await removeFactors(context, actor === 'visitor' ? world.spare.id : world.userOf(actor).id)
    return { body: { password } }
  },
  addPasskey: (_objects, world, context, actor) => {
    const userId = actor === 'visitor' ? world.spare.id : world.userOf(actor).id
    const tokenHash = hashToken(world.clients[actor].cookies.get('capstan_session') ?? '')
    const setup = sealValue(aChallenge(context), `passkey setup ${userId} ${tokenHash}`, context.deps.config.secretKey)
    return { body: { setup, answer: createAuthenticator().create(JSON.stringify({ challenge })), name: 'Laptop' } }
  },
  removePasskey: async (_objects, world, context, actor) => {
    const userId = actor === 'visitor' ? world.spare.id : world.userOf(actor).id
    const code = await aSecondFactor(context, userId)
    const { id } = await aPasskey(context, userId)
    return { params: { id }, body: { password, code } }
  },
  renewRecoveryCodes: async (_objects, world, context, actor) => {
    const code = await aSecondFactor(context, actor === 'visitor' ? world.spare.id : world.userOf(actor).id)
    return { body: { password, code } }
  },
  removeSecondFactor: async (_objects, world, context, actor) => {
    const code = await aSecondFactor(context, actor === 'visitor' ? world.spare.id : world.userOf(actor).id)
    return { body: { password, code } }
  },
  removeUserSecondFactor: async (_objects, world, context) => {
    const { id } = world.userOf('user')
    await aSecondFactor(context, id)
    return { params: { id } }
  },
  listOwnSessions: nothing,
  endOtherSessions: nothing,
  endOwnSession: async (_objects, world, context, actor) => {
    const userId = actor === 'visitor' ? world.spare.id : world.userOf(actor).id
    const [, token = ''] = (await aSession(context.db, userId, context.clock.now())).split('=')
    const [row] = await context.db
      .select()
      .from(sessions)
      .where(eq(sessions.tokenHash, hashToken(token)))
    return { params: { id: row!.id } }
  },
  endUserSessions: ofSpare,
  listOwnIdentities: nothing,
  deleteOwnIdentity: async (_objects, world, context, actor) => {
    const { id, key } = await aProvider(context)
    const userId = actor === 'visitor' ? world.spare.id : world.userOf(actor).id
    await context.db.insert(signInIdentities).values({ providerId: id, subject: 'me', userId, label: 'me' })
    return { params: { key } }
  },
  getSignInSettings: nothing,
  setSignInPolicy: () => ({ body: { passwords: true } }),
  createSignInProvider: async (_objects, _world, { db }) => {
    await db.delete(signInProviders)
    return { body: { ...aProviderWrite, key: `p${randomBytes(8).toString('hex')}` } }
  },
  updateSignInProvider: async (_objects, _world, context) => {
    const { id, key } = await aProvider(context)
    return { params: { id }, body: { ...aProviderWrite, key } }
  },
  deleteSignInProvider: ofProvider,
  checkSignInProvider: ofProvider,
  getTeamProvider: ofTeam,
  setTeamProvider: async ({ teamId }, _world, context) => {
    const { id } = await aProviderFor(teamId, context)
    return { params: { id: teamId }, body: { providerId: id, key: '1770' } }
  },
  deleteTeamProvider: async ({ teamId }, _world, context) => {
    const { id } = await aProviderFor(teamId, context)
    // Link the team only if it exists, because an earlier call of the suite may have deleted the team.
    const isPresent = (await context.db.$count(teams, eq(teams.id, teamId))) > 0
    if (isPresent) await context.db.insert(signInTeams).values({ providerId: id, key: '1770', teamId })
    return { params: { id: teamId } }
  },
  verifyAccount: async (_objects, { spare }, context) => {
    await context.db.update(users).set({ emailConfirmed: false }).where(eq(users.id, spare.id))
    return { body: await mailedToken(context, spare.id, 'activation', spare.email) }
  },

  listUsers: () => ({ query: { count: 1000 } }),
  addUsers: (_objects, { tag }) => ({
    body: [{ userName: `n${tag}`, password, email: `n.${tag}@example.org`, teamName: 'new' }],
  }),
  searchUsers: (_objects, { tag }) => ({ query: { hint: tag } }),
  getUser: ofSpare,
  updateUser: (_objects, { spare }) => ({ params: { id: spare.id }, body: { bio: 'edited' } }),
  deleteUser: ofSpare,
  resetUserPassword: ofSpare,
  listTeams: () => ({ query: { count: 1000 } }),
  searchTeams: (_objects, { tag }) => ({ query: { hint: tag } }),
  adminUpdateTeam: ({ teamId }) => ({ params: { id: teamId }, body: { bio: 'edited' } }),
  adminDeleteTeam: ofTeam,
  putTeamMember: ofMember,
  removeTeamMember: ofMember,
  setTeamCaptain: ofMember,
  listInstances: nothing,
  listInstanceStates: nothing,
  findUsers: () => ({ query: { count: 1000 } }),
  findTeams: () => ({ query: { count: 1000 } }),
  findGames: () => ({ query: { count: 1000 } }),
  findLogs: nothing,
  listInstanceUsage: nothing,
  listContainers: ({ instanceId }) => ({ params: { id: instanceId } }),
  listContainerEvents: ({ instanceId }) => ({ params: { id: instanceId, name: 'challenge' } }),
  readContainerLog: ({ instanceId }) => ({ params: { id: instanceId, name: 'challenge' } }),
  listTeamInstances: ofGame,
  destroyInstance: ({ instanceId }) => ({ params: { id: instanceId } }),
  listWriteups: ofGame,
  downloadWriteups: ofGame,
  listFiles: () => ({ query: { count: 1000 } }),
  getSettings: nothing,
  updateSettings: () => ({ body: { globalConfig: { slogan: 'New slogan' } } }),
  getProjectLinks: nothing,
  setProjectLinks: () => ({ body: { repositoryUrl: 'https://git.example.org/fork' } }),
  getMailState: nothing,
  sendTestMail: () => ({ body: { recipient: 'crew@example.org' } }),
  importCtfd: (_objects, { tag }) => ({
    file: {
      field: 'file',
      name: 'export.zip',
      type: 'application/zip',
      content: createExportZip({ config: createSettingRows('users', { ctf_name: tag }), challenges: [aChallengeRow(1)] }),
    },
  }),
  listTokens: async (_objects, world, context) => {
    await aToken(context, world)
    return {}
  },
  createToken: ({ gameId }, { tag }) => ({ body: { name: `made ${tag}`, expiresIn: 30, scope: 'WriteChallenges', gameId } }),
  deleteToken: async (_objects, world, context) => ({ params: { id: await aToken(context, world) }, query: { delete: true } }),
  restoreToken: async (_objects, world, context) => ({ params: { id: await aToken(context, world) } }),
  setLogo: () => ({ file: imageFile }),
  resetLogo: nothing,
  listLogs: () => ({ query: { count: 1000 } }),
  setParticipationStatus: ({ participationId }) => ({ params: { id: participationId, status: 'Suspended' } }),
  setParticipationDivision: ({ participationId }) => ({ params: { a: participationId, b: 'open' } }),

  uploadFiles: () => ({ file: { field: 'files', name: 'task.txt', type: 'text/plain', content: Buffer.from('task') } }),
  deleteFile: (_objects, { fileHash }) => ({ params: { id: fileHash } }),
  getFile: (_objects, { fileHash }) => ({ params: { hash: fileHash, name: 'task.zip' } }),

  adminListGames: () => ({ query: { count: 1000 } }),
  createGame: (_objects, { tag }) => ({ body: gameWrite(`created ${tag}`) }),
  getEditGrant: nothing,
  findSourcedGame: () => ({ params: { name: 'autumn-cup' } }),
  openSourcedGame: (_objects, { tag }) => ({ body: { name: 'autumn-cup', settings: gameWrite(`opened ${tag}`) } }),
  getGameSource: ofGame,
  setGameSource: ({ gameId }) => ({ params: { id: gameId }, body: { name: `game-${gameId}`, remembered: { title: 'ab' } } }),
  openSourcedChallenge: ({ gameId }) => ({
    params: { id: gameId },
    body: { challenge: aFullChallenge, source: { name: 'knots', remembered: { title: 'ab' } } },
  }),
  setChallengeSource: (...world) => ({ ...ofChallenge(...world), body: { name: 'ropes', remembered: { title: 'ab' } } }),
  adminGetGame: ofGame,
  getHashSalt: ofGame,
  updateGame: ({ gameId }, { tag }) => ({ params: { id: gameId }, body: gameWrite(`edited ${tag}`) }),
  deleteGame: ofGame,
  setGamePoster: ({ gameId }) => ({ params: { id: gameId }, file: imageFile }),
  listWebhooks: ofWebhook,
  createWebhook: async (...world) => ({ ...(await ofWebhook(...world)), body: aWebhook }),
  updateWebhook: async (...world) => ({ ...(await ofWebhook(...world)), body: aWebhook }),
  deleteWebhook: ofWebhook,
  renewWebhookKey: ofWebhook,
  previewWebhook: () => ({ body: { service: 'Slack', kind: 'Notice', language: 'en-US', template: '{"text":"{message}"}' } }),
  testWebhook: ofWebhook,
  listWebhookDeliveries: ofWebhook,
  resendWebhookDelivery: ofWebhook,
  getCertificate: ofGame,
  updateCertificate: ({ gameId }) => ({ params: { id: gameId }, body: aCertificate }),
  previewCertificate: async (...world) => {
    const [{ gameId }, , { db }] = world
    await db
      .insert(certificateTemplates)
      .values({ ...aCertificate, gameId })
      .onConflictDoNothing()
    return ofGame(...world)
  },
  setCertificatePicture: ({ gameId }) => ({ params: { id: gameId, picture: 'logo' }, file: imageFile }),
  deleteCertificatePicture: ({ gameId }) => ({ params: { id: gameId, picture: 'logo' } }),
  downloadOwnCertificate: ofFinished,
  downloadCertificates: ofFinished,
  downloadTeamCertificate: ofFinished,
  deleteWriteups: ofGame,
  adminListChallenges: ofGame,
  createChallenge: ({ gameId }) => ({ params: { id: gameId }, body: { title: 'New', category: 'Web', type: 'StaticContainer' } }),
  adminGetChallenge: ofChallenge,
  updateChallenge: ({ gameId, challengeId }) => ({ params: { id: gameId, cid: challengeId }, body: { content: 'edited' } }),
  deleteChallenge: ofChallenge,
  addFlags: ({ gameId, challengeId }) => ({ params: { id: gameId, cid: challengeId }, body: [{ flag: 'flag{another}' }] }),
  listFlagRules: ofChallenge,
  listChallengeLabels: ofGame,
  listDivisions: ofGame,
  createDivision: (objects, world, context, actor) => ({
    ...ofGame(objects, world, context, actor),
    body: { name: `New ${actor}`, defaultPermissions: 257 },
  }),
  updateDivision: async (...world) => ({ ...(await ofDivision(...world)), body: { defaultPermissions: 7943 } }),
  deleteDivision: ofDivision,
  checkJoin: ofGame,
  getRegistrationForm: ofGame,
  setAnswers: ({ gameId }) => ({
    params: { id: gameId },
    body: { answers: [{ questionId: memberQuestion.id, values: ['Vegan'] }] },
  }),
  uploadAnswerFile: ({ gameId }) => ({ params: { id: gameId }, file: pdfFile }),
  downloadAnswerFile: ({ gameId, answerFileId }) => ({ params: { id: gameId, fid: answerFileId } }),
  downloadAnswers: ofGame,
  downloadAnswersCsv: ofGame,
  downloadAnswerFiles: ofGame,
  getTeamAnswers: ({ gameId, participationId }) => ({ params: { id: gameId, pid: participationId } }),
  listSolveCorrections: async (...world) => {
    await ofCorrection(...world)
    return ofGame(...world)
  },
  correctSolve: ({ gameId, teamId, startableId }) => ({
    params: { id: gameId },
    body: { teamId, challengeId: startableId, kind: 'Granted', reason: 'The flag was wrong' },
  }),
  revokeSolveCorrection: ofCorrection,
  listAwards: async (...world) => {
    await ofAward(...world)
    return ofGame(...world)
  },
  createAward: ({ gameId, teamId }) => ({ params: { id: gameId }, body: { teamId, points: -50, reason: 'Shared a flag' } }),
  revokeAward: ofAward,
  getSurvey: ofFinished,
  setSurveyAnswers: async (...world) => ({
    ...(await ofFinished(...world)),
    body: { mode: 'Named', answers: [{ challengeId: null, rating: 4, text: 'Fine' }] },
  }),
  getSurveyResults: ofGame,
  downloadSurvey: ofGame,
  downloadSurveyCsv: ofGame,
  listTeamTickets: ofGame,
  countUnreadTeamTickets: ofGame,
  openTicket: async (...world) => ({ ...(await ofTickets(...world)), body: { subject: 'Help', text: 'The instance is slow.' } }),
  getTeamTicket: ofTicket,
  replyToTicket: async (...world) => ({ ...(await ofTicket(...world)), body: { text: 'It is still slow.' } }),
  closeTeamTicket: async (...world) => ({ ...(await ofTicket(...world)), body: { isClosed: true } }),
  readTeamTicket: ofTicket,
  // List closed tickets too, because an earlier request may have closed all tickets.
  findTickets: ({ gameId }) => ({ params: { id: gameId }, query: { view: 'all' } }),
  countUnreadTickets: ofGame,
  getTicket: ofTicket,
  answerTicket: async (...world) => ({ ...(await ofTicket(...world)), body: { text: 'Please restart it.' } }),
  changeTicket: async (...world) => ({ ...(await ofTicket(...world)), body: { isClosed: false, assigneeId: null } }),
  readTicket: ofTicket,
  mergeTicket: async (...world) => {
    const [{ gameId, participationId, ticketId }, , { db }] = world
    const [other] = await db
      .insert(tickets)
      .values({ gameId, participationId, subject: 'Twice', language: 'en-US', openedAt: new Date(), updatedAt: new Date() })
      .returning()
    return { params: { id: gameId, tid: other!.id }, body: { into: ticketId } }
  },
  listCannedAnswers: ofCannedAnswer,
  createCannedAnswer: async (...world) => {
    await ofCannedAnswer(...world)
    return { body: aCannedAnswer }
  },
  updateCannedAnswer: async (...world) => ({ ...(await ofCannedAnswer(...world)), body: aCannedAnswer }),
  deleteCannedAnswer: ofCannedAnswer,
  listTeamAwards: async (...world) => {
    await ofAward(...world)
    return ofGame(...world)
  },
  listChallengeReadiness: ofGame,
  setChallengeLabels: (...world) => ({ ...ofChallenge(...world), body: { tags: ['heap'], difficulty: 'hard' } }),
  addFlagRules: (...world) => ({ ...ofChallenge(...world), body: [{ flag: 'flag[0-9]', kind: 'Pattern' }] }),
  tryFlag: (...world) => ({ ...ofChallenge(...world), body: { answer: 'flag1', draft: { flag: 'flag[0-9]', kind: 'Pattern' } } }),
  deleteFlag: ({ gameId, challengeId, flagId }) => ({ params: { id: gameId, cid: challengeId, fid: flagId } }),
  setAttachment: ({ gameId, challengeId }) => ({
    params: { id: gameId, cid: challengeId },
    body: { attachmentType: 'Remote', remoteUrl: 'https://example.org/file' },
  }),
  startTestContainer: ofRunning,
  stopTestContainer: ofRunning,
  getTestReport: ofRunning,
  listTestInstanceWays: ofRunning,
  listFullChallenges: ofGame,
  getFullChallenge: ofChallenge,
  replaceChallenge: (...world) => ({ ...ofChallenge(...world), body: { challenge: aFullChallenge } }),
  changeChallenges: ({ gameId, challengeId }) => ({
    params: { id: gameId },
    body: { challenges: [challengeId], change: { category: 'Web', addTags: ['heap'], deadline: Date.UTC(2030, 0, 1) } },
  }),
  getChallengeReach: ofChallenge,
  setChallengeReach: (...world) => ({
    ...ofChallenge(...world),
    body: { speaks: 'http', isRaw: false, hasOwnCertificate: false },
  }),
  getContainerDefinition: ofChallenge,
  setContainerDefinition: (...world) => ({ ...ofChallenge(...world), body: { egress: 'None' } }),
  previewImport: ({ gameId }) => ({ params: { id: gameId }, file: archiveFile }),
  importChallenges: ({ gameId }) => ({ params: { id: gameId }, file: archiveFile }),
  importGame: () => ({ file: { field: 'file', name: 'game.zip', type: 'application/zip', content: createPackageZip() } }),
  exportGame: ofGame,
  exportChallenges: ofGame,
  downloadGameArchive: async (_objects, _world, { db }) => ({ params: { id: (await aGame(db, { phase: 'ended' })).id } }),
  getReachOffer: nothing,
  cloneGame: ({ gameId }, { tag }) => ({ params: { id: gameId }, body: { title: `copy ${tag}`, start: gameWrite(tag).start } }),
  cloneChallenge: (...world) => ({ ...ofChallenge(...world), body: { title: 'Copy' } }),
  recalculateSubmissions: ofChallenge,
  forecastRejudge: ofChallenge,
  undoRejudge: async (...world) => {
    const [{ gameId, challengeId }, , context] = world
    await context.sql`
      insert into rejudgings (challenge_id, rejudged_at, game_ends_at)
      select ${challengeId}, now(), ends_at from games where id = ${gameId}
      on conflict do nothing`
    return ofChallenge(...world)
  },
  recountSolves: ofGame,
  adminListNotices: ofGame,
  countGameMailRecipients: ofGame,
  sendGameMail: ({ gameId }) => ({ params: { id: gameId }, body: { subject: 'Welcome', text: 'We start soon.' } }),
  addNotice: ({ gameId }) => ({ params: { id: gameId }, body: { content: 'Hello' } }),
  updateNotice: ({ gameId, noticeId }) => ({ params: { id: gameId, nid: noticeId }, body: { content: 'Hello again' } }),
  deleteNotice: ({ gameId, noticeId }) => ({ params: { id: gameId, nid: noticeId } }),
  listGeneratedNotices: ofGame,
  revealBoard: async ({ gameId }, _world, { sql }) => {
    await sql`update games set freeze_at = starts_at + interval '1 minute' where id = ${gameId}`
    return { params: { id: gameId } }
  },
  undoReveal: ofGame,
  withdrawNotice: ({ gameId, generatedNoticeId }) => ({ params: { id: gameId, nid: generatedNoticeId } }),
  createPost: () => ({ body: { title: 'News' } }),
  updatePost: (_objects, { postId }) => ({ params: { id: postId }, body: { title: 'Newer' } }),
  deletePost: (_objects, { postId }) => ({ params: { id: postId } }),

  listGames: nothing,
  getGame: ofGame,
  joinGame: ({ openGameId, teamId }) => ({ params: { id: openGameId }, body: { teamId } }),
  leaveGame: ({ pendingGameId }) => ({ params: { id: pendingGameId } }),
  getPlayerBoard: ofGame,
  listCheats: ofGame,
  listEvents: ofGame,
  listNotices: ofGame,
  listSubmissions: ofGame,
  listParticipations: ofGame,
  getScoreboard: ofGame,
  listChallengeMarks: ofGame,
  getLeadingBoard: ofGame,
  getChallengeSolvers: ofChallenge,
  getCtftimeFeed: ofGame,
  getNoticeFeed: ofGame,
  getScoreboardEmbed: ofGame,
  getGameBadge: ofGame,
  getGameCalendar: nothing,
  getPostFeed: nothing,
  getScoreboardRows: ({ gameId }) => ({ params: { id: gameId }, query: { since: '1' } }),
  downloadChain: ofGame,
  getPastScoreboard: ({ gameId }) => ({ params: { id: gameId }, query: { at: 0 } }),
  downloadScoreboard: ofGame,
  downloadSubmissions: ofGame,
  downloadScoreboardCsv: ofGame,
  downloadSubmissionsCsv: ofGame,
  getWriteup: ofGame,
  getWriteupDeadline: ofGame,
  submitWriteup: ({ gameId }) => ({ params: { id: gameId }, file: pdfFile }),
  getChallenge: ofChallenge,
  listFlagProgress: async ({ gameId, teamId, participationId }, _world, { db, clock }) => {
    const { id: challengeId } = await aTask(db, { gameId, flags: ['flag{part}'] })
    const [flag] = await db.update(flags).set({ points: 5 }).where(eq(flags.challengeId, challengeId)).returning()
    const participation = { id: participationId, gameId, teamId }
    const submission = await aSubmission(db, participation, challengeId, { status: 'Accepted', flagId: flag!.id })
    const finding = { gameId, challengeId, participationId, flagId: flag!.id, submissionId: submission!.id }
    await db.insert(foundFlags).values({ ...finding, foundAt: clock.now() })
    return { params: { id: gameId } }
  },
  listAttempts: ofChallenge,
  buyHint: ({ gameId, challengeId, hintId }) => ({ params: { id: gameId, cid: challengeId, hid: hintId }, body: { price: 0 } }),

  submitFlag: ({ gameId, challengeId }) => ({ params: { id: gameId, cid: challengeId }, body: { flag: 'flag{guess}' } }),
  judgeFlag: ({ gameId, challengeId }) => ({ params: { id: gameId, cid: challengeId }, body: { flag: 'flag{guess}' } }),
  getSubmissionStatus: ({ gameId, runningId, submissionId }) => ({ params: { id: gameId, cid: runningId, sid: submissionId } }),
  startContainer: ({ gameId, startableId }) => ({ params: { id: gameId, cid: startableId } }),
  stopContainer: ofRunning,
  extendContainer: ofRunning,
  listInstanceWays: ofRunning,
  listCapturedChallenges: ofGame,
  getCaptureHealth: ofGame,
  getGameDesk: ofGame,
  listConnections: ofGame,
  findSubmissions: ofGame,
  findEvents: ofGame,
  findCheats: ofGame,
  listMonitoredTeams: ofGame,
  listMonitoredChallenges: ofGame,
  getMonitoredChallenge: ofChallenge,
  listCapturedTeams: ({ runningId }) => ({ params: { cid: runningId } }),
  listCaptures: ofCaptures,
  listCountedCaptures: ofCaptures,
  downloadMergedCaptures: ofCaptures,
  downloadCaptures: ofCaptures,
  deleteCaptures: ofCaptures,
  downloadCapture: ofCapture,
  deleteCapture: ofCapture,

  getCaptchaInfo: nothing,
  createPowChallenge: nothing,
  getClientConfig: nothing,
  listPosts: nothing,
  listLatestPosts: nothing,
  getPost: (_objects, { postId }) => ({ params: { id: postId } }),

  listOwnTeams: nothing,
  createTeam: () => ({ body: { name: `Team ${randomBytes(6).toString('hex')}` } }),
  getTeam: ofTeam,
  getTeamProfile: ofTeam,
  getUserProfile: ({ captainId }) => ({ params: { id: captainId } }),
  listClosedTeams: ofGame,
  listAllGames: nothing,
  listOwnGames: nothing,
  getOwnVisibility: nothing,
  unsubscribe: (_objects, { userOf }, { deps }) => ({
    query: { token: sealUnsubscribeToken(userOf('member').id, deps.config.secretKey) },
  }),
  getOwnMailState: nothing,
  getGameMailChoice: nothing,
  setGameMailChoice: () => ({ body: { hasGameMail: true } }),
  setOwnVisibility: () => ({ body: { hasPublicPage: true } }),
  setTeamVisibility: ({ teamId }) => ({ params: { id: teamId }, body: { hasPublicPage: true } }),
  updateTeam: ({ teamId }) => ({ params: { id: teamId }, body: { bio: 'edited' } }),
  deleteTeam: ofTeam,
  setTeamAvatar: ({ teamId }) => ({ params: { id: teamId }, file: imageFile }),
  getInvite: ofTeam,
  renewInvite: ofTeam,
  kickMember: ofMember,
  leaveTeam: ofTeam,
  transferTeam: ({ teamId, memberId }) => ({ params: { id: teamId }, body: { newCaptainId: memberId } }),
  acceptInvite: ({ inviteCode }) => ({ body: inviteCode }),
  verifyTeamToken: ({ teamId }, { games }, { deps }) => ({
    body: {
      teamToken: signTeamToken(teamId, openGameKey(games[0]!, deps.config.secretKey), defaultTokenPrefix),
      publicKey: games[0]!.publicKey,
    },
  }),
}

/** Returns a valid request. @param target objects of team A, or objects of team B and of a game that team A does not play */
export async function createValidRequest(
  name: CallName,
  world: World,
  context: TestApp,
  actor: Actor,
  target: 'own' | 'foreign' = 'own',
): Promise<CallInput> {
  return requests[name](world[target], world, context, actor)
}

export function addressOfRequest(operation: Operation, { params = {}, query = {} }: CallInput): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const search = new URLSearchParams(
    Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
  ).toString()
  return search ? `${path}?${search}` : path
}

/** Calls that change data but leave the test data usable for other calls. */
const sparing = new Set<CallName>(
  // biome-ignore format: a list
  [
    'finishLogin', 'getLoginFactors', 'finishPasskeyLogin', 'startFactorProof', 'startPasskey', 'addPasskey', 'removePasskey', 'startTotp', 'enableTotp', 'renewRecoveryCodes', 'removeSecondFactor', 'removeUserSecondFactor',
    'setSurveyAnswers', 'openTicket', 'replyToTicket', 'closeTeamTicket', 'readTeamTicket', 'answerTicket', 'changeTicket', 'readTicket', 'mergeTicket',
    'createCannedAnswer', 'updateCannedAnswer', 'deleteCannedAnswer',
    'endOtherSessions', 'endOwnSession', 'endUserSessions', 'startSignIn', 'finishSignIn', 'deleteOwnIdentity', 'setSignInPolicy', 'createSignInProvider', 'updateSignInProvider',
    'deleteSignInProvider', 'checkSignInProvider',
    'logIn', 'resetPassword', 'requestPasswordReset', 'register', 'verifyAccount', 'setOwnAvatar', 'requestEmailChange',
    'confirmEmailChange', 'updateOwnProfile', 'addUsers', 'searchUsers', 'updateUser', 'resetUserPassword', 'searchTeams',
    'adminUpdateTeam', 'updateSettings', 'setProjectLinks', 'sendTestMail', 'importCtfd', 'setLogo', 'resetLogo', 'setParticipationDivision', 'uploadFiles', 'createGame', 'cloneGame', 'cloneChallenge',
    'setGamePoster', 'createWebhook', 'updateWebhook', 'deleteWebhook', 'renewWebhookKey', 'previewWebhook', 'testWebhook', 'resendWebhookDelivery', 'updateCertificate', 'setCertificatePicture', 'deleteCertificatePicture', 'createChallenge', 'updateChallenge', 'addFlags', 'addFlagRules', 'tryFlag', 'deleteFlag', 'setAttachment', 'startTestContainer',
    'stopTestContainer', 'recalculateSubmissions', 'undoRejudge', 'recountSolves', 'addNotice', 'updateNotice', 'deleteNotice', 'createPost',
    'updatePost', 'setChallengeReach', 'setChallengeLabels', 'updateDivision', 'setContainerDefinition', 'previewImport', 'importChallenges', 'importGame', 'exportGame', 'joinGame', 'leaveGame', 'setAnswers', 'uploadAnswerFile', 'submitWriteup', 'submitFlag', 'judgeFlag', 'buyHint', 'createTeam', 'updateTeam', 'setTeamAvatar',
    'verifyTeamToken', 'createToken', 'deleteToken', 'restoreToken', 'openSourcedGame', 'setGameSource', 'openSourcedChallenge',
    'setChallengeSource', 'setOwnVisibility', 'setTeamVisibility', 'sendGameMail', 'unsubscribe', 'setGameMailChoice',
  ],
)

/** True if a successful call makes the test data unusable for other calls. */
export function needsNewTestWorld(name: CallName): boolean {
  return operationOfCall(name).method !== 'GET' && !sparing.has(name)
}

type Headers = Readonly<Record<string, string>>

/** Sends a request and retains the session of the client, even if the response sets cookies. */
export async function sendRequest(client: TestClient, operation: Operation, input: CallInput, headers: Headers = {}) {
  const before = [...client.cookies]
  const answer = await sendOnce(client, operation, input, headers)
  client.cookies.clear()
  for (const [name, value] of before) client.cookies.set(name, value)
  return answer
}

function sendOnce(client: TestClient, operation: Operation, input: CallInput, headers: Headers) {
  const url = addressOfRequest(operation, input)
  if (input.file) return client.upload(operation.method as 'POST' | 'PUT', url, [input.file], headers)
  const hasBody = input.body !== undefined
  return client.inject({
    method: operation.method,
    url,
    headers: { ...headers, ...(hasBody && { 'content-type': 'application/json' }) },
    ...(hasBody && { payload: JSON.stringify(input.body) }),
  })
}
