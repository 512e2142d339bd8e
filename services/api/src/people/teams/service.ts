// Teams and their members. Rules: docs/contract/teams.md.
import { timingSafeEqual } from 'node:crypto'
import type { AdminTeamUpdate } from '@capstan/contract/admin'
import { pathOfStoredFile } from '@capstan/contract/asset-address'
import { Limits } from '@capstan/contract/limits'
import { Problem, type ProblemCode } from '@capstan/contract/problems'
import { hasRole } from '@capstan/contract/roles'
import type { TeamInfo, TeamTokenCheck, TeamWrite } from '@capstan/contract/teams'
import type { Executor } from '@capstan/db/client'
import { endInstances, finishInstanceEndings } from '../../instances/lifecycle/endings.ts'
import { cryptoRandom } from '../../rules/signing/random.ts'
import { refuseInvalidTeamToken } from '../../rules/signing/team-token.ts'
import { queueCallerOf } from '../../server/fair-queue.ts'
import { deleteUnreferencedFiles, listAnswerFileHashes, releaseFiles, storeFile } from '../../server/files/service.ts'
import { deleteCaptureBlobs } from '../../server/files/stored-captures.ts'
import type { SessionUser } from '../../server/sessions/session-user.ts'
import type { PeopleDeps } from '../deps.ts'
import { computeUniqueNameKeys } from '../names/keys.ts'
import { refuseInvalidName } from '../names/policy.ts'
import { type Admission, acceptWaitingTeams, lockPlacesOfTeam, logAdmissions } from '../places/service.ts'
import { findTeamsOfProviders } from '../sign-in/placements.ts'
import { createInviteToken, formatInviteCode, parseInviteCode } from './invite-code.ts'
import {
  refuseCaptainAppointment,
  refuseLeavingTeam,
  refuseMemberKick,
  refuseMemberRemoval,
  refuseMembership,
  refuseTeamCreation,
  refuseTeamDisbanding,
  refuseTeamTransfer,
  refuseUnlessCaptain,
  type TeamFacts,
} from './policy.ts'
import { presentTeam } from './presenter.ts'
import { createTeamRepository, type TeamRow, type TeamSearch, type Withdrawal } from './repository.ts'

function throwIf(refusal: ProblemCode | undefined): void {
  if (refusal) throw new Problem(refusal)
}

/** Returns the columns of a new team name: the name and its unique keys. @throws Problem `name.unreadable` */
function nameColumns(name: string) {
  throwIf(refuseInvalidName(name))
  return { name, ...computeUniqueNameKeys(name) }
}

/** Returns the database values of a new team name. Returns no values if the name is empty or unchanged. */
function renamedColumns(team: TeamRow, wanted: string | null | undefined) {
  const name = wanted?.trim()
  return !name || name === team.name ? {} : nameColumns(name)
}

async function presentAll(executor: Executor, rows: readonly TeamRow[]): Promise<TeamInfo[]> {
  const ids = rows.map(({ id }) => id)
  const members = Map.groupBy(await createTeamRepository(executor).listMembers(ids), ({ teamId }) => teamId)
  const ofProvider = await findTeamsOfProviders(executor, ids)
  return rows.map((team) => presentTeam(team, members.get(team.id) ?? [], ofProvider.has(team.id)))
}

export async function getTeam({ db }: Pick<PeopleDeps, 'db'>, id: number): Promise<TeamInfo> {
  const team = await createTeamRepository(db).find(id)
  const [page] = team ? await presentAll(db, [team]) : []
  if (!page) throw new Problem('team.unknown')
  return page
}

/**
 * Returns a team as `reader` sees it. If the team joins a game during a freeze, other users still see its previous `locked` value.
 * The value therefore does not reveal that the team joined.
 * @throws Problem `team.unknown`
 */
export async function readTeamAsSeenBy(
  deps: Pick<PeopleDeps, 'clock' | 'db'>,
  id: number,
  reader: Pick<SessionUser, 'id' | 'role'> | undefined,
): Promise<TeamInfo> {
  const team = await getTeam(deps, id)
  if (hasRole(reader?.role, 'Monitor') || team.members?.some((member) => member.id === reader?.id)) return team
  return { ...team, locked: await createTeamRepository(deps.db).isKnownToBeLocked(team, deps.clock.now()) }
}

/** Row-locks a team before a caller changes it. @throws Problem `team.unknown` */
export async function lockTeam(executor: Executor, id: number): Promise<TeamRow> {
  const team = await createTeamRepository(executor).lock(id)
  if (!team) throw new Problem('team.unknown')
  return team
}

/**
 * Row-locks the team and reads the data that the rules for teams need. If all games of the team have ended, also sets the stored
 * `locked` to false.
 */
async function lockFacts({ clock }: Pick<PeopleDeps, 'clock'>, executor: Executor, id: number): Promise<TeamRow & TeamFacts> {
  const repository = createTeamRepository(executor)
  const team = await lockTeam(executor, id)
  const isLocked = team.locked && (await repository.isPlaying(id, clock.now()))
  if (team.locked && !isLocked) await repository.update(id, { locked: false })
  const members = await repository.listMembers([id])
  return { ...team, isLocked, memberIds: members.map((member) => member.id) }
}

async function deleteTeam(deps: Pick<PeopleDeps, 'clock'>, executor: Executor, team: TeamRow) {
  const repository = createTeamRepository(executor)
  const taken = await repository.listParticipations(team.id)
  const instanceIds: string[] = []
  for (const { id } of taken) instanceIds.push(...(await endInstances(deps, executor, { participationId: id })))
  const hashes = [team.avatarHash, ...taken.map(({ writeupHash }) => writeupHash)]
  await releaseFiles(executor, hashes)
  const answerFiles = await listAnswerFileHashes(executor, { teamId: team.id })
  const captures = await repository.listCaptures(team.id)
  await repository.delete(team.id)
  return { instanceIds, hashes: [...hashes, ...answerFiles], captures }
}

async function tidyUp(deps: PeopleDeps, left: Awaited<ReturnType<typeof deleteTeam>>): Promise<void> {
  await finishInstanceEndings(deps, left.instanceIds)
  await deleteLeftovers(deps, left)
}

/**
 * Deletes a team. Its places in games are given to teams on the waiting lists.
 * @param lockChecked locks the team and checks that the caller may delete it
 * @returns the name of the team
 */
async function lockAndDelete(
  deps: PeopleDeps,
  id: number,
  lockChecked: (executor: Executor) => Promise<TeamRow>,
): Promise<string> {
  const { db } = deps
  const { name, traces, admissions } = await db.transaction(async (transaction) => {
    const games = await lockPlacesOfTeam(transaction, id)
    const team = await lockChecked(transaction)
    const traces = await deleteTeam(deps, transaction, team)
    const admissions: Admission[] = []
    for (const game of games) admissions.push(...(await acceptWaitingTeams(transaction, game)))
    return { name: team.name, traces, admissions }
  })
  await tidyUp(deps, traces)
  logAdmissions(deps, admissions)
  return name
}

/**
 * Removes a user from a team, and from all games that the team plays.
 * @returns the files to delete with `deleteLeftovers` after the commit
 */
async function removeMember(
  { clock }: Pick<PeopleDeps, 'clock'>,
  executor: Executor,
  teamId: number,
  userId: string,
): Promise<Withdrawal> {
  const repository = createTeamRepository(executor)
  const answerFiles = await listAnswerFileHashes(executor, { teamId })
  const left = await repository.withdrawFromGames(teamId, userId, clock.now())
  await releaseFiles(executor, left.hashes)
  await repository.deleteMember(teamId, userId)
  return { ...left, hashes: [...left.hashes, ...answerFiles] }
}

async function deleteLeftovers(deps: Pick<PeopleDeps, 'blobs' | 'db'>, { hashes, captures }: Withdrawal): Promise<void> {
  const { blobs } = deps
  await deleteUnreferencedFiles(deps, hashes)
  await deleteCaptureBlobs(blobs, captures)
}

export async function listTeamsOfUser({ db }: Pick<PeopleDeps, 'db'>, userId: string): Promise<TeamInfo[]> {
  return presentAll(db, await createTeamRepository(db).listOfUser(userId))
}

/**
 * Adds a user to a team on the user's request. The caller has locked the team and the memberships of the user.
 * @throws Problem `team.already-member`, `team.full`, `team.too-many`
 */
async function joinTeam(executor: Executor, id: number, userId: string): Promise<void> {
  const repository = createTeamRepository(executor)
  await repository.insertMember(id, userId)
  throwIf(refuseMembership(await repository.countMembers(id), await repository.countOfMember(userId)))
}

/** @throws Problem `team.name-required`, `name.unreadable`, `team.already-captain`, `team.name-taken`, `team.too-many` */
export function createTeam({ db }: Pick<PeopleDeps, 'db'>, userId: string, write: TeamWrite): Promise<TeamInfo> {
  return db.transaction(async (transaction) => {
    const repository = createTeamRepository(transaction)
    const name = write.name?.trim()
    if (!name) throw new Problem('team.name-required')
    const columns = nameColumns(name)
    await repository.lockMemberships(userId)
    await repository.lockUsers([userId])
    throwIf(refuseTeamCreation(await repository.countOfCaptain(userId)))
    const team = await repository.insert({
      ...columns,
      bio: write.bio ?? null,
      captainId: userId,
      inviteToken: createInviteToken(cryptoRandom),
    })
    await joinTeam(transaction, team.id, userId)
    const [page] = await presentAll(transaction, [team])
    if (!page) throw new Error('A new team is missing in the list of teams')
    return page
  })
}

/**
 * Adds users to the team of this name in the caller's transaction, even if the team is locked. The name is found without regard
 * to case. If the team does not exist, it is created with the first user as captain, who may already lead another team.
 * @throws Problem `name.unreadable`, `team.name-taken`
 */
export async function joinOrCreateTeam(executor: Executor, name: string, memberIds: readonly string[]): Promise<void> {
  const [captainId, ...others] = new Set(memberIds)
  if (captainId === undefined) throw new Error('A team needs a captain')
  const repository = createTeamRepository(executor)
  const existing = await repository.lockByName(name)
  if (existing) {
    const present = new Set((await repository.listMembers([existing.id])).map(({ id }) => id))
    for (const userId of new Set(memberIds)) if (!present.has(userId)) await repository.insertMember(existing.id, userId)
    return
  }
  const team = await repository.insert({
    ...nameColumns(name),
    bio: null,
    captainId,
    inviteToken: createInviteToken(cryptoRandom),
  })
  for (const userId of [captainId, ...others]) await repository.insertMember(team.id, userId)
}

/**
 * Creates a team for an identity provider in the caller's transaction. The captain may already lead another team.
 * @param names wanted names in order of preference. The team gets the first free name
 * @returns the id of the team
 * @throws Problem `team.name-taken`, `name.unreadable`
 */
export async function createTeamUnlessTaken(executor: Executor, names: readonly string[], captainId: string): Promise<number> {
  const repository = createTeamRepository(executor)
  for (const name of names) {
    const row = { ...nameColumns(name), bio: null, captainId, inviteToken: createInviteToken(cryptoRandom) }
    const team = await repository.insertUnlessTaken(row)
    if (!team) continue
    await repository.insertMember(team.id, captainId)
    return team.id
  }
  throw new Problem('team.name-taken')
}

/** Adds a user to a team in the caller's transaction, even if the team is locked. Changes nothing if the user is a member. */
export async function joinTeamOfProvider(executor: Executor, id: number, userId: string): Promise<void> {
  await lockTeam(executor, id)
  const repository = createTeamRepository(executor)
  if (!(await repository.listMembers([id])).some((member) => member.id === userId)) await repository.insertMember(id, userId)
}

export async function updateTeam(deps: Pick<PeopleDeps, 'db'>, userId: string, id: number, write: TeamWrite): Promise<TeamInfo> {
  const { db } = deps
  await db.transaction(async (transaction) => {
    const team = await lockTeam(transaction, id)
    throwIf(refuseUnlessCaptain(userId, team))
    await createTeamRepository(transaction).update(id, { ...renamedColumns(team, write.name), bio: write.bio ?? null })
  })
  return getTeam(deps, id)
}

/**
 * @returns the name of the team
 * @throws Problem `team.unknown`, `team.not-captain`
 */
export function setTeamVisibility(
  { db }: Pick<PeopleDeps, 'db'>,
  userId: string,
  id: number,
  hasPublicPage: boolean,
): Promise<string> {
  return db.transaction(async (transaction) => {
    const team = await lockTeam(transaction, id)
    throwIf(refuseUnlessCaptain(userId, team))
    await createTeamRepository(transaction).update(id, { hasPublicPage })
    return team.name
  })
}

/** Disbands the team. @returns the name of the team @throws Problem `team.unknown`, `team.not-captain`, `team.locked` */
export function disbandTeam(deps: PeopleDeps, userId: string, id: number): Promise<string> {
  return lockAndDelete(deps, id, async (transaction) => {
    const team = await lockFacts(deps, transaction, id)
    const isOnFrozenBoard = await createTeamRepository(transaction).isOnFrozenBoard(id, deps.clock.now())
    throwIf(refuseTeamDisbanding(userId, { ...team, isOnFrozenBoard }))
    return team
  })
}

export async function getInvite({ db }: Pick<PeopleDeps, 'db'>, userId: string, id: number): Promise<string> {
  const team = await createTeamRepository(db).find(id)
  if (!team) throw new Problem('team.unknown')
  throwIf(refuseUnlessCaptain(userId, team))
  return formatInviteCode(team)
}

/** Replaces the invitation code. @throws Problem `team.unknown`, `team.not-captain` */
export function renewInvite({ db }: Pick<PeopleDeps, 'db'>, userId: string, id: number): Promise<{ name: string; code: string }> {
  return db.transaction(async (transaction) => {
    const team = await lockTeam(transaction, id)
    throwIf(refuseUnlessCaptain(userId, team))
    const inviteToken = createInviteToken(cryptoRandom)
    await createTeamRepository(transaction).update(id, { inviteToken })
    return { name: team.name, code: formatInviteCode({ ...team, inviteToken }) }
  })
}

/**
 * Adds the user to the team of an invitation code, even if the team is locked.
 * @throws Problem `team.invite`, `team.of-provider`, `team.already-member`, `team.full`, `team.too-many`
 */
export function acceptInvite({ db }: Pick<PeopleDeps, 'db'>, userId: string, code: string): Promise<TeamRow> {
  return db.transaction(async (transaction) => {
    const invite = parseInviteCode(code)
    await createTeamRepository(transaction).lockMemberships(userId)
    const team = invite && (await createTeamRepository(transaction).lock(invite.id))
    if (!team || !timingSafeEqual(Buffer.from(team.inviteToken), Buffer.from(invite.token))) throw new Problem('team.invite')
    if ((await findTeamsOfProviders(transaction, [team.id])).size > 0) throw new Problem('team.of-provider')
    await joinTeam(transaction, team.id, userId)
    return team
  })
}

/** @throws Problem `team.unknown`, `team.not-captain`, `team.member-unknown`, `team.captain-stays`, `team.locked` */
export async function kickMember(
  deps: Pick<PeopleDeps, 'blobs' | 'clock' | 'db'>,
  userId: string,
  id: number,
  targetId: string,
): Promise<TeamInfo> {
  const { db } = deps
  const left = await db.transaction(async (transaction) => {
    throwIf(refuseMemberKick(userId, targetId, await lockFacts(deps, transaction, id)))
    return removeMember(deps, transaction, id, targetId)
  })
  await deleteLeftovers(deps, left)
  return getTeam(deps, id)
}

/** @returns the team's name. @throws Problem `team.unknown`, `team.not-member`, `team.captain-stays`, `team.locked` */
export async function leaveTeam(deps: Pick<PeopleDeps, 'blobs' | 'clock' | 'db'>, userId: string, id: number): Promise<string> {
  const { db } = deps
  const { name, left } = await db.transaction(async (transaction) => {
    const team = await lockFacts(deps, transaction, id)
    throwIf(refuseLeavingTeam(userId, team))
    return { name: team.name, left: await removeMember(deps, transaction, id, userId) }
  })
  await deleteLeftovers(deps, left)
  return name
}

/** @throws Problem `team.unknown`, `team.not-captain`, `team.member-unknown`, `team.captain-of-too-many`, `team.locked` */
export async function transferTeam(
  deps: Pick<PeopleDeps, 'clock' | 'db'>,
  userId: string,
  id: number,
  newCaptainId: string,
): Promise<TeamInfo> {
  const { db } = deps
  await db.transaction(async (transaction) => {
    const repository = createTeamRepository(transaction)
    await repository.lockUsers([newCaptainId])
    const team = await lockFacts(deps, transaction, id)
    throwIf(refuseTeamTransfer(userId, newCaptainId, team, await repository.countOfCaptain(newCaptainId)))
    await repository.update(id, { captainId: newCaptainId })
  })
  return getTeam(deps, id)
}

/** @returns the image's URL path, and the team's name. @throws Problem `team.unknown`, `team.not-captain`, `file.*` */
export async function setTeamAvatar(
  deps: PeopleDeps,
  user: Readonly<{ id: string; address: string }>,
  id: number,
  bytes: Buffer,
): Promise<{ name: string; address: string }> {
  const { db, images } = deps
  const team = await createTeamRepository(db).find(id)
  if (!team) throw new Problem('team.unknown')
  throwIf(refuseUnlessCaptain(user.id, team))
  const image = await images.convert('avatar', bytes, queueCallerOf(user.address, user.id))
  let oldHash: string | null = null
  const stored = await storeFile(deps, image.bytes, image.name, {
    adopt: async (transaction, file) => {
      const current = await lockTeam(transaction, id)
      throwIf(refuseUnlessCaptain(user.id, current))
      oldHash = current.avatarHash
      await createTeamRepository(transaction).update(id, { avatarHash: file.hash })
      await releaseFiles(transaction, [oldHash])
    },
  })
  await deleteUnreferencedFiles(deps, [oldHash])
  return { name: team.name, address: pathOfStoredFile(stored.hash, stored.name) }
}

/** Checks a team token against a game's public key. @throws Problem `team.token-form`, `team.token-signature` */
export function verifyTeamToken({ config }: Pick<PeopleDeps, 'config'>, { teamToken, publicKey }: TeamTokenCheck): void {
  throwIf(refuseInvalidTeamToken(teamToken, publicKey, config.teamTokenPrefix))
}

export async function listTeams(
  { db }: Pick<PeopleDeps, 'db'>,
  page: { count: number; skip: number },
): Promise<{ data: TeamInfo[]; total: number }> {
  const { rows, total } = await createTeamRepository(db).listPage(page)
  return { data: await presentAll(db, rows), total }
}

export async function findTeams(
  { db }: Pick<PeopleDeps, 'db'>,
  filter: TeamSearch,
): Promise<{ data: TeamInfo[]; total: number }> {
  const { rows, total } = await createTeamRepository(db).findBy({
    ...filter,
    ...(filter.hint !== undefined && { hint: filter.hint.trim() }),
  })
  return { data: await presentAll(db, rows), total }
}

export async function searchTeams({ db }: Pick<PeopleDeps, 'db'>, hint: string): Promise<TeamInfo[]> {
  return presentAll(db, await createTeamRepository(db).search(hint.trim(), Limits.searchHits))
}

/**
 * Updates a team for an admin. Absent, null and empty fields change nothing.
 * @returns the name before the update
 * @throws Problem `team.unknown`, `name.unreadable`, `team.name-taken`
 */
export async function updateTeamByAdmin({ db }: Pick<PeopleDeps, 'db'>, id: number, change: AdminTeamUpdate): Promise<string> {
  return db.transaction(async (transaction) => {
    const team = await lockTeam(transaction, id)
    await createTeamRepository(transaction).update(id, {
      ...renamedColumns(team, change.name),
      bio: change.bio || team.bio,
      locked: change.locked ?? team.locked,
    })
    return team.name
  })
}

/**
 * Adds a user to a team for an admin, even if the team is locked. If `from` is given, the user leaves that team in the same
 * transaction.
 * @throws Problem `team.unknown`, `user.unknown`, `team.member-unknown`, `team.captain-stays`, `team.locked`
 */
export async function addMemberByAdmin(
  deps: Pick<PeopleDeps, 'blobs' | 'clock' | 'db'>,
  id: number,
  userId: string,
  from?: number,
): Promise<TeamInfo> {
  const { db } = deps
  const left = await db.transaction(async (transaction) => {
    const repository = createTeamRepository(transaction)
    if ((await repository.lockUsers([userId])).length === 0) throw new Problem('user.unknown')
    // Locking in the order of ids prevents a deadlock between two moves in opposite directions.
    for (const teamId of [id, from ?? id].toSorted((one, other) => one - other)) await lockTeam(transaction, teamId)
    const isMove = from !== undefined && from !== id
    if (isMove) throwIf(refuseMemberRemoval(userId, await lockFacts(deps, transaction, from)))
    const withdrawal = isMove ? await removeMember(deps, transaction, from, userId) : undefined
    const { memberIds } = await lockFacts(deps, transaction, id)
    if (!memberIds.includes(userId)) await repository.insertMember(id, userId)
    return withdrawal
  })
  if (left) await deleteLeftovers(deps, left)
  return getTeam(deps, id)
}

/** Removes a member for an admin. @throws Problem `team.unknown`, `team.member-unknown`, `team.captain-stays`, `team.locked` */
export async function removeMemberByAdmin(
  deps: Pick<PeopleDeps, 'blobs' | 'clock' | 'db'>,
  id: number,
  userId: string,
): Promise<TeamInfo> {
  const { db } = deps
  const left = await db.transaction(async (transaction) => {
    throwIf(refuseMemberRemoval(userId, await lockFacts(deps, transaction, id)))
    return removeMember(deps, transaction, id, userId)
  })
  await deleteLeftovers(deps, left)
  return getTeam(deps, id)
}

/** Appoints a captain, even of a locked team. @throws Problem `team.unknown`, `team.member-unknown`, `team.captain-of-too-many` */
export async function appointCaptainByAdmin(
  deps: Pick<PeopleDeps, 'clock' | 'db'>,
  id: number,
  userId: string,
): Promise<TeamInfo> {
  const { db } = deps
  await db.transaction(async (transaction) => {
    const repository = createTeamRepository(transaction)
    await repository.lockUsers([userId])
    const team = await lockFacts(deps, transaction, id)
    throwIf(refuseCaptainAppointment(userId, team, await repository.countOfCaptain(userId)))
    await repository.update(id, { captainId: userId })
  })
  return getTeam(deps, id)
}

/** Deletes a team for an admin, even if it is locked. @returns the team's name @throws Problem `team.unknown` */
export function deleteTeamByAdmin(deps: PeopleDeps, id: number): Promise<string> {
  return lockAndDelete(deps, id, (transaction) => lockTeam(transaction, id))
}
