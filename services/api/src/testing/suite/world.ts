import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { defaultContainer } from '@capstan/contract/challenge-parts'
import type { Role } from '@capstan/contract/common'
import type { FurtherContainer } from '@capstan/contract/containers'
import { sessions, users } from '@capstan/db/schema/accounts'
import { proxyConnections } from '@capstan/db/schema/instances'
import { files, logs, platformSettings, posts } from '@capstan/db/schema/platform'
import { registrationAnswers, registrationFiles } from '@capstan/db/schema/questions'
import { ticketMessages, tickets } from '@capstan/db/schema/tickets'
import { eq } from 'drizzle-orm'
import sharp from 'sharp'
import { aPcap } from '../../instances/captures/testing/pcap.ts'
import { blobKeys } from '../../server/files/blob-keys.ts'
import { plainCookieName } from '../../server/sessions/session-cookie.ts'
import { createSessionToken, hashToken } from '../../server/sessions/session-token.ts'
import { createTestClient, type TestApp, type TestClient } from '../app.ts'
import { aTeam } from '../factories.ts'
import {
  aCapture,
  aChallenge,
  aCheat,
  aGame,
  aNotice,
  anAssignment,
  anAttachment,
  anEvent,
  anInstance,
  aParticipation,
  aSubmission,
} from '../organizing-factories.ts'
import { passwords } from '../passwords.ts'
import { aQuestion } from '../questions.ts'

/** Roles of callers. `member`, `captain` and `banned` belong to team A, `other` to team B. */
export const roles = ['visitor', 'banned', 'user', 'other', 'member', 'captain', 'monitor', 'admin'] as const
export type Actor = (typeof roles)[number]

export const password = 'Correct1horse'
const passwordHash = passwords.hash(password)
export const image = await sharp({ create: { width: 4, height: 4, channels: 3, background: '#123456' } })
  .png()
  .toBuffer()

let serial = 0
const minuteMs = 60_000

const { port: _, reach: __, capture: ___, ...settings } = defaultContainer
const furtherContainer: FurtherContainer = { ...settings, name: 'db' }

const teamQuestion = aQuestion({ scope: 'Team', title: 'University', required: true })
const fileQuestion = aQuestion({ scope: 'Team', kind: 'File', title: 'Certificate' })
export const memberQuestion = aQuestion({ title: 'Diet' })

/** Creates texts that only some roles may read. Each text is stored in only one place. */
function createSecrets(tag: string) {
  const secret = (name: string) => `canary.${name}.${tag}`
  return {
    staticFlag: `flag{${secret('static')}}`,
    pattern: `${secret('pattern')}[0-9]+`,
    foreignFlag: `flag{${secret('foreign')}}`,
    template: `flag{${secret('template')}.[GUID]}`,
    assignedToA: `flag{${secret('given-a')}}`,
    assignedToB: `flag{${secret('given-b')}}`,
    answer: `flag{${secret('answer')}}`,
    wrongOfA: `flag{${secret('wrong-a')}}`,
    wrongOfB: `flag{${secret('wrong-b')}}`,
    tokenOfA: `1:${secret('token-a')}`,
    tokenOfB: `2:${secret('token-b')}`,
    gameCode: secret('gamecode').slice(0, 32),
    divisionCode: secret('divcode').slice(0, 32),
    teamAnswer: secret('team-answer'),
    memberAnswer: secret('member-answer'),
    answerFile: secret('answer-file'),
    ticketOfA: secret('ticket-a'),
    ticketOfB: secret('ticket-b'),
    disabledTitle: secret('disabled-title'),
    disabledContent: secret('disabled-content'),
    lockedTitle: secret('locked-title'),
    lockedContent: secret('locked-content'),
    disabledHint: secret('disabled-hint'),
    pricedHint: secret('priced-hint'),
    unstartedTitle: secret('unstarted-title'),
    unstartedContent: secret('unstarted-content'),
    hiddenTitle: secret('hidden-title'),
    image: `registry/${secret('image')}`,
    containerSecret: secret('variable'),
    passwordHash: secret('password-hash'),
  }
}

const roleOf: Readonly<Record<string, Role>> = { banned: 'Banned', monitor: 'Monitor', admin: 'Admin' }

/** Test data of one team and its game, for use in requests. */
export type Objects = Readonly<{
  gameId: number
  /** Game without teams. */
  openGameId: number
  pendingGameId: number
  /** Challenge with a static flag and no solve. */
  challengeId: number
  /** Hint of the challenge `challengeId`. The hint is free now, but had a price. */
  hintId: string
  /** Challenge with a running instance, a test instance and captures. */
  runningId: number
  startableId: number
  flagId: number
  noticeId: number
  generatedNoticeId: number
  teamId: number
  captainId: string
  memberId: string
  participationId: number
  /** Number of a submission, as its team sees it. */
  submissionId: number
  instanceId: string
  testInstanceId: string
  captureFile: string
  inviteCode: string
  answerFileId: string
  ticketId: string
}>

type AnsweredQuestions = Readonly<{
  participation: Readonly<{ id: number; gameId: number }>
  memberId: string
  secrets: ReturnType<typeof createSecrets>
}>

/**
 * Stores a team's answers to the registration questions of a game.
 * @returns the hash of the file that the team has uploaded as an answer
 */
async function answerQuestions({ db, blobs }: TestApp, { participation, memberId, secrets }: AnsweredQuestions): Promise<string> {
  const { id: participationId, gameId } = participation
  const common = { participationId, gameId, answeredAt: new Date() }
  const [, fileAnswer] = await db
    .insert(registrationAnswers)
    .values([
      { ...common, questionId: teamQuestion.id, values: [secrets.teamAnswer] },
      { ...common, questionId: fileQuestion.id },
      { ...common, questionId: memberQuestion.id, userId: memberId, values: [secrets.memberAnswer] },
    ])
    .returning()
  const content = Buffer.from(secrets.answerFile)
  const file = { hash: createHash('sha256').update(content).digest('hex'), name: 'answer', sizeBytes: content.length }
  await db.insert(files).values(file)
  await db.insert(registrationFiles).values({
    gameId,
    answerId: fileAnswer!.id,
    fileHash: file.hash,
    name: 'certificate.pdf',
    sizeBytes: file.sizeBytes,
    uploadedAt: new Date(),
  })
  blobs.contents.set(blobKeys.file(file.hash), content)
  return file.hash
}

/**
 * Creates a platform with data of every kind, and with one user of each role. It has a game of both teams, a game of team B alone,
 * games to join and leave, a hidden and a future game, files and posts. A database can contain several worlds.
 */
export async function createTestWorld(context: TestApp) {
  const { app, db, blobs, deps, runtime } = context
  const tag = `${(++serial).toString(36)}x${randomBytes(3).toString('hex')}`
  const secrets = createSecrets(tag)
  const now = deps.clock.now().getTime()

  const people = await db
    .insert(users)
    .values(
      await Promise.all(
        ['banned', 'user', 'other', 'member', 'captain', 'monitor', 'admin', 'rival', 'spare'].map(async (name) => ({
          userName: `${name}${tag}`.slice(0, 15),
          email: `canary.mail.${name}.${tag}@example.org`,
          realName: `canary.real.${name}.${tag}`,
          stdNumber: `canary.number.${name}.${tag}`,
          phone: `canary.phone.${name}.${tag}`,
          passwordHash: name === 'spare' || name === 'user' ? await passwordHash : `${secrets.passwordHash}.${name}`,
          emailConfirmed: true,
          role: roleOf[name] ?? ('User' as const),
        })),
      ),
    )
    .returning()
  const person = (name: string) => people.find(({ userName }) => userName.startsWith(name))!
  const userOf = (actor: Exclude<Actor, 'visitor'>) => person(actor)

  const clients = {} as Record<Actor, TestClient>
  const tokens = new Map<Actor, string>()
  for (const actor of roles) {
    clients[actor] = createTestClient(app)
    if (actor === 'visitor') continue
    tokens.set(actor, createSessionToken())
    clients[actor].cookies.set(plainCookieName, tokens.get(actor)!)
  }
  await db.insert(sessions).values(
    [...tokens].map(([actor, token]) => ({
      tokenHash: hashToken(token),
      userId: userOf(actor as Exclude<Actor, 'visitor'>).id,
      expiresAt: new Date(now + 7 * 24 * 60 * minuteMs),
    })),
  )

  const members = {
    a: [userOf('captain').id, userOf('member').id, userOf('banned').id],
    b: [person('rival').id, userOf('other').id],
  }
  const inviteTokens = { a: randomBytes(16).toString('hex'), b: randomBytes(16).toString('hex') }
  const [teamA, teamB] = await Promise.all([
    aTeam(db, { name: `A${tag}`, captainId: members.a[0]!, memberIds: members.a.slice(1), inviteToken: inviteTokens.a }),
    aTeam(db, { name: `B${tag}`, captainId: members.b[0]!, memberIds: members.b.slice(1), inviteToken: inviteTokens.b }),
  ])

  const aPlayableGame = async (title: string, code?: string) => {
    const game = await aGame(db, {
      title,
      writeupRequired: true,
      inviteCode: code ?? null,
      divisions: [{ name: 'open', inviteCode: code ? secrets.divisionCode : null }],
      questions: [teamQuestion, fileQuestion, memberQuestion],
    })
    const [challenge, running, startable, notice, openGame, pendingGame] = await Promise.all([
      aChallenge(db, {
        gameId: game.id,
        title: `static ${tag}`,
        flags: [code ? secrets.staticFlag : secrets.foreignFlag],
        pricedHints: [
          { id: randomUUID(), text: code ? secrets.pricedHint : 'paid', price: 50, place: 0 },
          { id: randomUUID(), text: 'free', price: 0, place: 1 },
        ],
        rules: code ? [{ kind: 'Pattern', flag: secrets.pattern }] : [],
      }),
      aChallenge(db, {
        gameId: game.id,
        title: `running ${tag}`,
        type: 'DynamicContainer',
        containerImage: secrets.image,
        containerSecrets: { KEY: secrets.containerSecret },
        furtherContainers: [{ ...furtherContainer, image: secrets.image }],
        furtherContainerSecrets: { [furtherContainer.name]: { KEY: secrets.containerSecret } },
        flagTemplate: secrets.template,
        capture: true,
      }),
      aChallenge(db, {
        gameId: game.id,
        title: `startable ${tag}`,
        type: 'StaticContainer',
        containerImage: secrets.image,
        containerSecrets: { KEY: secrets.containerSecret },
      }),
      aNotice(db, { gameId: game.id }),
      aGame(db, { title: `to join ${tag}` }),
      aGame(db, { title: `to leave ${tag}` }),
    ])
    const generatedNotice = await aNotice(db, { gameId: game.id, type: 'NewChallenge', values: [], challengeId: challenge.id })
    const [flag] = (await context.sql`select id from flags where challenge_id = ${challenge.id}`) as unknown as { id: number }[]
    return { game, challenge, running, startable, notice, generatedNotice, openGame, pendingGame, flagId: flag!.id }
  }
  const [mine, theirs] = await Promise.all([aPlayableGame(`game ${tag}`, secrets.gameCode), aPlayableGame(`foreign game ${tag}`)])

  const content = {
    asset: Buffer.from(`asset ${tag}`),
    writeup: Buffer.from(`%PDF-1.7 writeup ${tag}`),
    captured: `frame ${tag}`,
  }
  const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
  const fileHash = hashOf(content.asset)
  const writeupHash = hashOf(content.writeup)
  await db.insert(files).values([
    { hash: fileHash, name: 'task.zip', sizeBytes: content.asset.length },
    { hash: writeupHash, name: 'writeup.pdf', sizeBytes: content.writeup.length },
  ])
  blobs.contents.set(blobKeys.file(fileHash), content.asset)
  blobs.contents.set(blobKeys.file(writeupHash), content.writeup)

  const play = async ({ game, challenge, running, startable, pendingGame }: typeof mine, side: 'a' | 'b', main: boolean) => {
    const team = side === 'a' ? teamA : teamB
    const token = side === 'a' ? secrets.tokenOfA : secrets.tokenOfB
    const participation = await aParticipation(db, {
      gameId: game.id,
      teamId: team.id,
      memberIds: members[side],
      division: 'open',
      token,
      ...(main && { writeupHash, writeupName: `Writeup-${tag}.pdf`, writeupUploadedAt: new Date(now) }),
    })
    await Promise.all([
      anAssignment(db, { participationId: participation.id, challengeId: challenge.id }),
      anAssignment(db, { participationId: participation.id, challengeId: startable.id }),
      anAssignment(db, {
        participationId: participation.id,
        challengeId: running.id,
        flag: side === 'a' ? secrets.assignedToA : secrets.assignedToB,
      }),
    ])
    const submission = await aSubmission(db, participation, running.id, {
      userId: team.captainId,
      answer: secrets.answer,
      solve: main,
    })
    await aSubmission(db, participation, challenge.id, {
      userId: team.captainId,
      answer: side === 'a' ? secrets.wrongOfA : secrets.wrongOfB,
    })
    if (!main) return { participation, submission }
    await aParticipation(db, {
      gameId: pendingGame.id,
      teamId: team.id,
      memberIds: members[side],
      status: 'Pending',
      token: `${token}.pending`,
    })
    const captureFile = `${tag}-1.pcap`
    const pcap = aPcap([content.captured])
    const soon = { image: secrets.image, expiresAt: new Date(now + 5 * minuteMs) }
    const [instance, testInstance] = await Promise.all([
      anInstance(db, { gameId: game.id, challengeId: running.id, participationId: participation.id, ...soon }),
      anInstance(db, { gameId: game.id, challengeId: running.id, ...soon }),
      aCapture(db, {
        challengeId: running.id,
        participationId: participation.id,
        fileName: captureFile,
        sizeBytes: pcap.length,
      }),
      anEvent(db, { gameId: game.id, teamId: team.id, userId: team.captainId }),
    ])
    blobs.contents.set(blobKeys.capture(running.id, participation.id, captureFile), pcap)
    runtime.usages.set(instance!.id, { cpuMillicores: 40, memoryBytes: 20_000_000 })
    runtime.events.splice(0, 1, {
      type: 'Normal',
      reason: 'Started',
      message: 'Started',
      count: 1,
      lastAt: '2030-01-01T00:00:00Z',
    })
    await db.insert(proxyConnections).values({
      id: randomUUID(),
      instanceId: instance!.id,
      clientAddress: '203.0.113.9',
      openedAt: new Date(),
      way: 'http',
    })
    return { participation, submission, instance, testInstance, captureFile }
  }
  const [playA, playB, playForeign] = [await play(mine, 'a', true), await play(mine, 'b', false), await play(theirs, 'b', true)]
  const answerFileHash = await answerQuestions(context, {
    participation: playA.participation,
    memberId: members.a[1]!,
    secrets,
  })
  const { id: answerFileId } = (
    await db.select().from(registrationFiles).where(eq(registrationFiles.fileHash, answerFileHash))
  )[0]!
  await aCheat(db, {
    gameId: mine.game.id,
    submissionId: playB.submission.id,
    submitterId: playB.participation.id,
    ownerId: playA.participation.id,
  })

  const aTicket = async (side: 'a' | 'b', { participation }: typeof playA, challengeId: number) => {
    const [ticket] = await db
      .insert(tickets)
      .values({
        ...{ gameId: participation.gameId, participationId: participation.id, challengeId, subject: 'Help', language: 'en-US' },
        ...{ authorId: members[side][0]!, openedAt: new Date(now), updatedAt: new Date(now) },
      })
      .returning()
    const text = side === 'a' ? secrets.ticketOfA : secrets.ticketOfB
    await db
      .insert(ticketMessages)
      .values({ ticketId: ticket!.id, authorId: members[side][0]!, isFromTeam: true, text, sentAt: new Date(now - 5 * minuteMs) })
    return ticket!.id
  }
  const ticketIds = {
    a: await aTicket('a', playA, mine.running.id),
    b: await aTicket('b', playForeign, theirs.running.id),
  }

  const objectsOf = (side: 'a' | 'b', where: typeof mine, played: typeof playA): Objects => {
    const team = side === 'a' ? teamA : teamB
    return {
      gameId: where.game.id,
      openGameId: where.openGame.id,
      pendingGameId: where.pendingGame.id,
      challengeId: where.challenge.id,
      hintId: where.challenge.pricedHints.find(({ price }) => price === 0)!.id,
      runningId: where.running.id,
      startableId: where.startable.id,
      flagId: where.flagId,
      noticeId: where.notice.id,
      generatedNoticeId: where.generatedNotice.id,
      teamId: team.id,
      captainId: team.captainId,
      memberId: members[side][1]!,
      participationId: played.participation.id,
      submissionId: played.submission.number,
      instanceId: played.instance!.id,
      testInstanceId: played.testInstance!.id,
      captureFile: played.captureFile!,
      inviteCode: `${team.name}:${team.id}:${inviteTokens[side]}`,
      answerFileId,
      ticketId: ticketIds[side],
    }
  }

  const postId = randomBytes(4).toString('hex')
  const [hiddenGame, unstartedGame] = await Promise.all([
    aGame(db, { title: secrets.hiddenTitle, hidden: true }),
    aGame(db, { title: `unstarted ${tag}`, phase: 'upcoming' }),
    db.insert(logs).values({ level: 'Information', name: 'System', message: 'Something happened' }),
    db.insert(posts).values({ id: postId, title: `post ${tag}`, authorId: userOf('admin').id }),
    db
      .insert(platformSettings)
      .values({ section: 'accountPolicy', value: { emailConfirmationRequired: true, activeOnRegister: true } })
      .onConflictDoNothing(),
  ])
  const [attachment] = await Promise.all([anAttachment(db, { type: 'Remote', remoteUrl: `https://example.org/${tag}` })])
  await Promise.all([
    aChallenge(db, {
      gameId: mine.game.id,
      title: secrets.disabledTitle,
      content: secrets.disabledContent,
      hints: [secrets.disabledHint],
      isEnabled: false,
      attachmentId: attachment.id,
    }),
    aChallenge(db, {
      gameId: mine.game.id,
      title: secrets.lockedTitle,
      content: secrets.lockedContent,
      unlockRule: { after: [], count: null, points: 1_000_000, locked: 'Hidden' },
    }),
    aChallenge(db, { gameId: unstartedGame.id, title: secrets.unstartedTitle, content: secrets.unstartedContent }),
    aTeam(db, { hasPublicPage: false }).then(({ id }) => aParticipation(db, { gameId: mine.game.id, teamId: id })),
    aParticipation(db, {
      gameId: unstartedGame.id,
      teamId: teamA.id,
      memberIds: members.a,
      token: `${secrets.tokenOfA}.unstarted`,
    }),
  ])

  return {
    tag,
    secrets,
    clients,
    people,
    userOf,
    spare: person('spare'),
    tokens,
    inviteTokens,
    own: objectsOf('a', mine, playA),
    foreign: objectsOf('b', theirs, playForeign),
    hiddenGameId: hiddenGame.id,
    unstartedGameId: unstartedGame.id,
    games: [mine.game, theirs.game],
    fileHash,
    writeupHash,
    answerFileHash,
    captured: content.captured,
    postId,
  }
}

export type World = Awaited<ReturnType<typeof createTestWorld>>
