// Participations of teams in games. To avoid deadlocks, locks are always taken in this order: game (shared), free places of the
// game, team, participation.
// Rules: docs/contract/games-and-joining.md.
import type { RateRule } from '@capstan/bus/rate-limit-rules'
import type { GameJoinRequest, ParticipationRecord } from '@capstan/contract/games'
import { RateLimits } from '@capstan/contract/limits'
import { Problem, type ProblemCode, type ProblemDetails } from '@capstan/contract/problems'
import type { Executor } from '@capstan/db/client'
import type { InstanceDeps } from '../../instances/deps.ts'
import { endInstances, finishInstanceEndings } from '../../instances/lifecycle/endings.ts'
import {
  type Admission,
  acceptWaitingTeams,
  admitTeams,
  lockPlaces,
  logAdmissions,
  readWaitingListPositions,
} from '../../people/places/service.ts'
import { listProviderDivisions } from '../../people/sign-in/placements.ts'
import { assignProviderDivision, getJoinOutcome, refuseJoin } from '../../rules/scoring/join.ts'
import {
  findReviewOutcome,
  getStatusChangeEffects,
  refuseLeavingGame,
  refuseUnassignableStatus,
  type StatusEffects,
  type StoredStatus,
} from '../../rules/scoring/participation.ts'
import { openGameKey } from '../../rules/signing/game-keys.ts'
import { signTeamToken } from '../../rules/signing/team-token.ts'
import { formatUtcTime } from '../../rules/utc-time.ts'
import { deleteUnreferencedFiles, listAnswerFileHashes, releaseFiles } from '../../server/files/service.ts'
import { deleteCaptureBlobs } from '../../server/files/stored-captures.ts'
import type { RateLimiter } from '../../server/http/rate-limiter.ts'
import { listDivisions } from '../editing/division-service.ts'
import { type GameWithDivisions, getGame, lockGameAgainstEdits, timesOfGame } from '../editing/service.ts'
import {
  countUnansweredQuestionsByTeam,
  listQuestionsUnansweredByMember,
  listQuestionsUnansweredByTeam,
  refuseMissingAnswers,
  storeAnswers,
} from '../questions/answers.ts'
import { presentParticipation } from './presenter.ts'
import { createParticipationRepository, type ParticipationRow } from './repository.ts'

/**
 * Limits how many teams a user can register for a game. Without a limit, one user could create many teams with permanent score
 * records.
 */
const registrationRule: RateRule = {
  kind: 'fixed-window',
  count: RateLimits.registration.count,
  windowMs: RateLimits.registration.windowSeconds * 1000,
}

type Named = Readonly<{
  team: string
  game: string
}>

/**
 * Locks the participation of a team, so that no one can delete the participation before the transaction ends.
 * @returns the id of the participation
 * @throws Problem `participation.unknown` if the team is not in the game
 */
export async function lockParticipationAgainstDeletion(transaction: Executor, gameId: number, teamId: number): Promise<number> {
  const id = await createParticipationRepository(transaction).lockIdShared(gameId, teamId)
  if (id === undefined) throw new Problem('participation.unknown')
  return id
}

/**
 * Applies the effects of a new status in the transaction that changes it.
 * @returns ids of the instances to end after the commit
 */
async function apply(
  deps: Pick<InstanceDeps, 'clock'>,
  executor: Executor,
  participation: ParticipationRow,
  effects: StatusEffects,
): Promise<string[]> {
  if (effects.entersGame) await admitTeams(executor, [participation])
  return effects.stopsInstances ? endInstances(deps, executor, { participationId: participation.id }) : []
}

/** Locks the game, the number of its free places, the team and the participation, in this order. Then runs `work`. */
async function change<Result extends object>(
  { db }: Pick<InstanceDeps, 'db'>,
  id: number,
  work: (executor: Executor, participation: ParticipationRow, game: GameWithDivisions) => Promise<Result>,
): Promise<Result & Named> {
  const { result, named } = await db.transaction(async (transaction) => {
    const repository = createParticipationRepository(transaction)
    const found = await repository.find(id)
    if (!found) throw new Problem('participation.unknown')
    const game = await lockGameAgainstEdits(transaction, found.gameId)
    await lockPlaces(transaction, game.game)
    const team = await repository.lockTeam(found.teamId)
    const participation = await repository.lock(id)
    if (!participation || !team) throw new Problem('participation.unknown')
    const named = { team: team.name, game: game.game.title }
    return { result: await work(transaction, participation, game), named }
  })
  return { ...result, ...named }
}

/**
 * Returns the text of a refusal outside the registration window. The text contains the UTC time at which the window opens or
 * closed.
 */
function windowText(
  refusal: ProblemCode | undefined,
  { registrationOpensAt, registrationClosesAt }: GameWithDivisions['game'],
): ProblemDetails {
  if (refusal !== 'join.not-open' && refusal !== 'join.closed') return {}
  const time = refusal === 'join.not-open' ? registrationOpensAt : registrationClosesAt
  return time === null ? {} : { text: { code: `${refusal}.at`, values: { time: formatUtcTime(time) } } }
}

type JoinAnswers = Readonly<{
  userId: string
  captainId: string
  answers: GameJoinRequest['answers']
  /** True if the team is not in the game yet, or was rejected. */
  isRegistration: boolean
  now: Date
}>

function admissionsOfOtherTeams(admissions: readonly Admission[], participationId: number): Admission[] {
  return admissions.filter((each) => each.participationId !== participationId)
}

/**
 * Stores the answers in a request to join, and checks that the required answers are present. Clients of earlier versions send no
 * answers. Therefore a request without answers is refused only if it registers a team that lacks required team answers.
 */
async function answerQuestions(
  executor: Executor,
  { game }: GameWithDivisions,
  participationId: number,
  { userId, captainId, answers, isRegistration, now }: JoinAnswers,
): Promise<void> {
  if (game.questions.length === 0) return
  const caller = { userId, participationId, isCaptain: captainId === userId }
  const stored = await storeAnswers(executor, game, caller, answers ?? [], { now, isOpen: true })
  const missing = isRegistration ? listQuestionsUnansweredByTeam(game.questions, stored) : []
  if (answers && caller.isCaptain) refuseMissingAnswers(missing)
  if (missing.length > 0) throw new Problem(caller.isCaptain ? 'join.team-answers' : 'join.captain-answers')
  if (answers) refuseMissingAnswers(listQuestionsUnansweredByMember(game.questions, stored, userId))
}

/**
 * Joins a game with a team. If the game has a team limit, the team first enters the waiting list. If a place is free, the team is
 * accepted at once.
 * @returns names for the log
 * @throws Problem of the first check that fails (docs/contract/games-and-joining.md#joining), or `request.rate-limited`
 */
export async function joinGame(
  deps: Pick<InstanceDeps, 'blobs' | 'clock' | 'config' | 'db' | 'platformLog'> & { readonly limiter: RateLimiter },
  gameId: number,
  userId: string,
  asked: GameJoinRequest,
): Promise<Named> {
  const { db, clock, config, limiter } = deps
  let permit: Promise<void> | undefined
  const { admissions, replaced, ...named } = await db.transaction(async (transaction) => {
    const repository = createParticipationRepository(transaction)
    const { game, divisions } = await lockGameAgainstEdits(transaction, gameId)
    await lockPlaces(transaction, game)
    const now = clock.now()
    const choice = assignProviderDivision({ divisions }, asked, await listProviderDivisions(transaction, userId))
    const request = choice === 'join.provider-division' ? asked : choice
    const team = await repository.lockTeam(request.teamId)
    const existing = await repository.lockOfTeam(gameId, request.teamId)
    const former = await repository.findOfUser(gameId, userId)
    const facts = {
      now,
      game: { ...timesOfGame(game), ...game, divisions },
      request,
      team: team && { hasCaller: await repository.isTeamMember(team.id, userId) },
      callerStatus: former?.status,
      participation: existing && {
        status: existing.status,
        division: existing.division,
        isWaiting: existing.isWaiting,
        otherMembersJoined: await repository.countMembers(existing.id, userId),
      },
    }
    const refusal = refuseJoin(facts) ?? (choice === 'join.provider-division' ? choice : undefined)
    if (refusal || !team) throw new Problem(refusal ?? 'team.unknown', windowText(refusal, game))
    const { status: wanted, division, dropsFormerMembership } = getJoinOutcome(facts)
    const isWaiting = wanted === 'Accepted' && existing?.status !== 'Accepted' && game.teamLimit !== null
    const status = isWaiting ? 'Pending' : wanted
    const isRegistration = existing === undefined || existing.status === 'Rejected'
    const values = { status, division, isWaiting, ...(isRegistration && { registeredAt: now }) }
    const participationIds = [existing, former].flatMap((each) => each?.id ?? [])
    const replaced = await listAnswerFileHashes(transaction, { participationIds })
    // The team may have been rejected and register again. If the caller is already a member of the participation, the membership
    // and the caller's answers remain.
    const isMember = existing !== undefined && former?.id === existing.id
    if (dropsFormerMembership && !isMember) await repository.deleteMember(gameId, userId)
    const token = () => signTeamToken(request.teamId, openGameKey(game, config.secretKey), config.teamTokenPrefix)
    if (existing) await repository.update(existing.id, values)
    const participation = existing ?? (await repository.insert({ gameId, teamId: request.teamId, ...values, token: token() }))
    if (!isMember) await repository.insertMember({ participationId: participation.id, gameId, userId })
    const { captainId } = team
    const given = { userId, captainId, answers: request.answers, isRegistration, now }
    await answerQuestions(transaction, { game, divisions }, participation.id, given)
    // Count the registration toward the rate limit only after all checks, so that refused joins do not count. If the transaction is
    // repeated, do not count it again.
    if (!existing && config.rateLimits) permit ??= limiter.take(`registration:${gameId}:${userId}`, registrationRule)
    await permit
    await apply(deps, transaction, participation, getStatusChangeEffects(existing?.status, status))
    const moved = game.teamLimit === null ? [] : await acceptWaitingTeams(transaction, game)
    return { team: team.name, game: game.title, admissions: admissionsOfOtherTeams(moved, participation.id), replaced }
  })
  await deleteUnreferencedFiles(deps, replaced)
  logAdmissions(deps, admissions)
  return named
}

/**
 * Withdraws the caller from a game. If the caller is the last member, the participation is deleted with its writeup and traffic
 * captures. A team on a frozen board can leave only after the reveal, because its absence would be visible on the board.
 * @returns the title of the game
 * @throws Problem `game.unknown`, `leave.not-joined`, `leave.too-late`
 */
export async function leaveGame(
  deps: Pick<InstanceDeps, 'blobs' | 'clock' | 'db'>,
  gameId: number,
  userId: string,
): Promise<string> {
  const { db, blobs, clock } = deps
  const { title, left } = await db.transaction(async (transaction) => {
    const repository = createParticipationRepository(transaction)
    const { title } = (await lockGameAgainstEdits(transaction, gameId)).game
    const found = await repository.findOfUser(gameId, userId)
    // Lock and read the participation again: an admin may have changed the participation since the first read.
    if (found) await repository.lockTeam(found.teamId)
    const participation = found && (await repository.lock(found.id))
    const refusal = refuseLeavingGame(participation?.status)
    if (refusal || !participation) throw new Problem(refusal ?? 'leave.not-joined')
    if (await repository.isOnFrozenBoard(participation.id, clock.now()))
      throw new Problem('leave.too-late', { detail: 'Your team is on the frozen scoreboard. It can leave after the reveal.' })
    const answerFiles = await listAnswerFileHashes(transaction, { participationIds: [participation.id] })
    await repository.deleteMember(gameId, userId)
    if ((await repository.countMembers(participation.id)) > 0) return { title, left: { hashes: answerFiles, captures: [] } }
    const captures = await repository.listCaptures(participation.id)
    await repository.delete(participation.id)
    await releaseFiles(transaction, [participation.writeupHash])
    return { title, left: { hashes: [...answerFiles, participation.writeupHash], captures } }
  })
  await deleteUnreferencedFiles(deps, left.hashes)
  await deleteCaptureBlobs(blobs, left.captures)
  return title
}

/**
 * Lists the teams of a game for review, sorted by team id.
 * @throws Problem `game.unknown`
 */
export async function listParticipationsForReview(
  deps: Pick<InstanceDeps, 'db'>,
  gameId: number,
): Promise<ParticipationRecord[]> {
  const { db } = deps
  const repository = createParticipationRepository(db)
  const [game, rows, members, divisions, places] = await Promise.all([
    getGame(deps, gameId),
    repository.listWithTeams(gameId),
    repository.listTeamMembers(gameId),
    listDivisions(deps, gameId),
    readWaitingListPositions(db, gameId),
  ])
  const divisionIds = new Map(divisions.map(({ division }) => [division.name, division.id]))
  const registered = await repository.listMembers(rows.map(({ participation }) => participation.id))
  const missing = await countUnansweredQuestionsByTeam(db, game, registered)
  return rows.map(({ participation, team }) =>
    presentParticipation(participation, team, {
      members: members.get(team.id) ?? [],
      registered: registered.get(participation.id) ?? [],
      divisionId: divisionIds.get(participation.division ?? '') ?? null,
      waitingPlace: places.get(participation.id) ?? null,
      missingAnswers: missing.get(participation.id) ?? 0,
    }),
  )
}

/**
 * Sets the status of a team. If the team already has this status, nothing changes. `Pending` also removes the team from the waiting
 * list.
 * @param withinLimit true if the team must wait for a free place before it is accepted
 * @throws Problem `participation.unknown`, `participation.status`
 */
export async function setParticipationStatus(
  deps: InstanceDeps,
  id: number,
  status: string,
  { withinLimit = false }: { readonly withinLimit?: boolean } = {},
): Promise<Named> {
  const refusal = refuseUnassignableStatus(status)
  if (refusal) throw new Problem(refusal)
  const { ended, admissions, ...named } = await change(deps, id, async (executor, participation, { game }) => {
    const values = findReviewOutcome(participation, status as StoredStatus, {
      waitsForPlace: withinLimit && game.teamLimit !== null,
    })
    if (!values) return { ended: [], admissions: [] }
    await createParticipationRepository(executor).update(id, values)
    const ended = await apply(deps, executor, participation, getStatusChangeEffects(participation.status, values.status))
    const moved = game.teamLimit === null ? [] : await acceptWaitingTeams(executor, game)
    return { ended, admissions: admissionsOfOtherTeams(moved, id) }
  })
  await finishInstanceEndings(deps, ended)
  logAdmissions(deps, admissions)
  return named
}

/** Moves a team to another division. @throws Problem `participation.unknown`, `participation.division` */
export async function setParticipationDivision(deps: Pick<InstanceDeps, 'db'>, id: number, name: string): Promise<Named> {
  const division = name.trim()
  return change(deps, id, async (executor, _participation, { divisions }) => {
    if (!divisions.some((known) => known.name === division)) throw new Problem('participation.division')
    await createParticipationRepository(executor).update(id, { division })
    return {}
  })
}
