// Divisions of a game with their rights. Rules: docs/contract/games-and-joining.md#divisions.
import { allRights } from '@capstan/contract/division-rights'
import type { DivisionCreate, DivisionUpdate } from '@capstan/contract/divisions'
import { InputLimits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { Executor } from '@capstan/db/client'
import type { InstanceDeps } from '../../instances/deps.ts'
import { listProviderDivisions } from '../../people/sign-in/placements.ts'
import { divisionsOfProvider, isJoinableDivision } from '../../rules/scoring/join.ts'
import { createDivisionRepository } from './division-repository.ts'
import {
  type Division,
  type DivisionEntry,
  type DivisionOverride,
  type OverrideRow,
  refuseInvalidDivisions,
} from './divisions.ts'
import type { GameRow } from './repository.ts'
import { getGame, lockGame } from './service.ts'

export type DivisionWithOverrides = Readonly<{
  game: GameRow
  division: Division
  overrides: readonly DivisionOverride[]
}>

/** Returns the rights that divisions have for single challenges, grouped by the id of the division. */
export async function listDivisionOverrides(executor: Executor, gameId: number): Promise<Map<number, OverrideRow[]>> {
  return Map.groupBy(await createDivisionRepository(executor).listOverrides(gameId), ({ divisionId }) => divisionId)
}

/** Lists divisions in the organizer's order. @throws Problem `game.unknown` */
export async function listDivisions(deps: Pick<InstanceDeps, 'db'>, gameId: number): Promise<DivisionWithOverrides[]> {
  const { db } = deps
  const game = await getGame(deps, gameId)
  const [divisions, overrides] = await Promise.all([createDivisionRepository(db).list(gameId), listDivisionOverrides(db, gameId)])
  return divisions.map((division) => ({ game, division, overrides: overrides.get(division.id) ?? [] }))
}

/** Returns the invitation code to store. A blank code becomes null. */
function codeOf(code: string): string | null {
  return code.trim() || null
}

function refuseAny(divisions: readonly DivisionEntry[]): void {
  const refusal = refuseInvalidDivisions(divisions)
  if (refusal) throw new Problem(refusal)
}

/** Replaces the overrides of a division. @throws Problem `division.challenge` */
async function storeOverrides(
  executor: Executor,
  gameId: number,
  divisionId: number,
  overrides: readonly DivisionOverride[],
): Promise<void> {
  const repository = createDivisionRepository(executor)
  const ids = new Set(overrides.map(({ challengeId }) => challengeId))
  if (ids.size < overrides.length || (await repository.countChallenges(gameId, [...ids])) < ids.size)
    throw new Problem('division.challenge')
  await repository.replaceOverrides(divisionId, overrides)
}

async function withOverrides(executor: Executor, game: GameRow, division: Division): Promise<DivisionWithOverrides> {
  return { game, division, overrides: (await listDivisionOverrides(executor, game.id)).get(division.id) ?? [] }
}

/** @throws Problem `game.unknown`, `game.divisions`, `game.division-code`, `division.challenge` */
export function createDivision(
  { db }: Pick<InstanceDeps, 'db'>,
  gameId: number,
  body: DivisionCreate,
): Promise<DivisionWithOverrides> {
  return db.transaction(async (transaction) => {
    const game = await lockGame(transaction, gameId)
    const repository = createDivisionRepository(transaction)
    const entry = {
      name: body.name.trim(),
      inviteCode: codeOf(body.inviteCode ?? ''),
      permissions: body.defaultPermissions ?? allRights,
    }
    const others = await repository.list(gameId)
    if (others.length >= InputLimits.maxDivisions) throw new Problem('game.divisions')
    refuseAny([...others, entry])
    const division = await repository.insert(gameId, entry)
    await storeOverrides(transaction, gameId, division.id, body.challengeConfigs ?? [])
    return withOverrides(transaction, game, division)
  })
}

/** @throws Problem `division.unknown` */
async function findDivision(executor: Executor, gameId: number, id: number) {
  const divisions = await createDivisionRepository(executor).list(gameId)
  const division = divisions.find((each) => each.id === id)
  if (!division) throw new Problem('division.unknown')
  return { division, others: divisions.filter((each) => each !== division) }
}

/**
 * Changes a division. If the division gets another name, its teams remain in the division.
 * @throws Problem `game.unknown`, `division.unknown`, `game.divisions`, `game.division-code`, `division.challenge`
 */
export function updateDivision(
  { db }: Pick<InstanceDeps, 'db'>,
  gameId: number,
  id: number,
  body: DivisionUpdate,
): Promise<DivisionWithOverrides> {
  return db.transaction(async (transaction) => {
    const game = await lockGame(transaction, gameId)
    const repository = createDivisionRepository(transaction)
    const { division: before, others } = await findDivision(transaction, gameId, id)
    const entry = {
      name: body.name?.trim() ?? before.name,
      inviteCode: body.inviteCode == null ? before.inviteCode : codeOf(body.inviteCode),
      permissions: body.defaultPermissions ?? before.permissions,
    }
    refuseAny([...others, entry])
    const division = await repository.update(id, entry)
    if (entry.name !== before.name) await repository.moveTeams(gameId, before.name, entry.name)
    if (body.challengeConfigs) await storeOverrides(transaction, gameId, id, body.challengeConfigs)
    return withOverrides(transaction, game, division)
  })
}

/** Deletes a division. Afterwards its teams have no division. @throws Problem `game.unknown`, `division.unknown` */
export function deleteDivision({ db }: Pick<InstanceDeps, 'db'>, gameId: number, id: number): Promise<void> {
  return db.transaction(async (transaction) => {
    await lockGame(transaction, gameId)
    const repository = createDivisionRepository(transaction)
    const { division } = await findDivision(transaction, gameId, id)
    await repository.moveTeams(gameId, division.name, null)
    await repository.delete(id)
  })
}

export type GivenRights = Readonly<{
  name: string
  permissions: number | null
  /** Rights for single challenges of the game. Each challenge occurs at most once. */
  overrides: readonly DivisionOverride[]
}>

/** Stores rights of divisions. Each element of `given` contains the name of a division. */
export async function setDivisionRights(executor: Executor, gameId: number, given: readonly GivenRights[]): Promise<void> {
  const repository = createDivisionRepository(executor)
  const divisions = new Map((await repository.list(gameId)).map((division) => [division.name, division]))
  for (const { name, permissions, overrides } of given) {
    const division = divisions.get(name)
    if (!division) throw new Problem('division.unknown')
    await repository.update(division.id, { ...division, permissions })
    await storeOverrides(executor, gameId, division.id, overrides)
  }
}

/**
 * Copies the divisions' overrides to a copy of the game.
 * @param challengeIds map from the id of an original challenge to the id of its copy
 */
export async function copyDivisionOverrides(
  executor: Executor,
  from: number,
  to: number,
  challengeIds: ReadonlyMap<number, number>,
): Promise<void> {
  const repository = createDivisionRepository(executor)
  const [sources, copies] = [await repository.list(from), await repository.list(to)]
  const overrides = await listDivisionOverrides(executor, from)
  for (const { id, name } of sources) {
    const copy = copies.find((each) => each.name === name)
    const rows = (overrides.get(id) ?? []).flatMap(({ challengeId, permissions }) => {
      const copied = challengeIds.get(challengeId)
      return copied === undefined ? [] : [{ challengeId: copied, permissions }]
    })
    if (copy) await repository.replaceOverrides(copy.id, rows)
  }
}

/** Returns the caller's teams in a game, and the divisions that can be joined. @throws Problem `game.unknown` */
export async function getJoinOptions(deps: Pick<InstanceDeps, 'db'>, gameId: number, userId: string) {
  const { db } = deps
  await getGame(deps, gameId)
  const repository = createDivisionRepository(db)
  const [divisions, teams, named] = await Promise.all([
    repository.list(gameId),
    repository.listTeamsOf(gameId, userId),
    listProviderDivisions(db, userId),
  ])
  const ofProvider = divisionsOfProvider(divisions, named)
  const ids = new Map(divisions.map(({ id, name }) => [name, id]))
  return {
    joinedTeams: teams.map(({ id, division }) => ({ id, division: ids.get(division ?? '') ?? null })),
    joinableDivisions: (ofProvider.length > 0 ? ofProvider : divisions).filter(isJoinableDivision).map(({ id }) => id),
  }
}
