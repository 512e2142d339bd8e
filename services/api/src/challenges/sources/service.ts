import type { ChallengeOpen, FullChallenge, FullChallengeWrite } from '@capstan/contract/challenge'
import { Problem } from '@capstan/contract/problems'
import type {
  ChallengeOpened,
  ChallengeSource,
  GameFound,
  GameOpen,
  GameOpened,
  GameSource,
  SourceWrite,
} from '@capstan/contract/sources'
import type { Executor } from '@capstan/db/client'
import { createGame, getGame, lockGame } from '../../games/editing/service.ts'
import type { InstanceDeps } from '../../instances/deps.ts'
import { createFullChallenge, replaceChallenge } from '../editing/full-challenge-service.ts'
import { getChallenge } from '../editing/service.ts'
import { finishChallengeEdits } from '../editing/store.ts'
import { presentChallengeSource, presentGameSource } from './presenter.ts'
import { createSourceRepository } from './repository.ts'

/** Error that rolls back the creation of a game if a concurrent call created a game with the same name. */
class NameTaken extends Error {}

async function find({ db }: Pick<InstanceDeps, 'db'>, name: string): Promise<number | null> {
  const sources = createSourceRepository(db)
  return (await sources.findGameByName(name))?.gameId ?? null
}

function noteChallenge(
  { clock }: Pick<InstanceDeps, 'clock'>,
  executor: Executor,
  gameId: number,
  challengeId: number,
  { name, remembered }: SourceWrite,
) {
  return createSourceRepository(executor).setChallenge(gameId, challengeId, { name, remembered, appliedAt: clock.now() })
}

export async function findSourceGame(deps: Pick<InstanceDeps, 'db'>, name: string): Promise<GameFound> {
  return { id: await find(deps, name) }
}

/** @throws Problem `game.times`, `game.divisions`, `game.division-code` */
export async function findOrCreateSourceGame(
  deps: Pick<InstanceDeps, 'clock' | 'config' | 'db'>,
  { name, settings }: GameOpen,
): Promise<GameOpened> {
  const present = await find(deps, name)
  if (present !== null) return { id: present, isNew: false }
  try {
    const { game } = await createGame(deps, settings, async (transaction, { id }) => {
      if (!(await createSourceRepository(transaction).insertGame(id, name))) throw new NameTaken()
    })
    return { id: game.id, isNew: true }
  } catch (error) {
    const other = error instanceof NameTaken ? await find(deps, name) : null
    if (other === null) throw error
    return { id: other, isNew: false }
  }
}

/** @throws Problem `game.unknown` */
export async function getSourceGame(deps: Pick<InstanceDeps, 'db'>, gameId: number): Promise<GameSource> {
  const { db } = deps
  const sources = createSourceRepository(db)
  await getGame(deps, gameId)
  return presentGameSource(await sources.findGame(gameId), await sources.listChallenges(gameId))
}

/**
 * Sets the source name of a game.
 * @param isForOneGame true if the caller may change only this game, and therefore cannot take the name from another game
 * @throws Problem `game.unknown`, `token.game`
 */
export function setSourceGame(
  { db, clock }: Pick<InstanceDeps, 'clock' | 'db'>,
  gameId: number,
  { name, remembered }: SourceWrite,
  isForOneGame: boolean,
): Promise<void> {
  return db.transaction(async (transaction) => {
    const repository = createSourceRepository(transaction)
    await lockGame(transaction, gameId)
    const known = isForOneGame ? await repository.findGameByName(name) : undefined
    if (known && known.gameId !== gameId) throw new Problem('token.game')
    await repository.setGame(gameId, { name, remembered, appliedAt: clock.now() })
  })
}

/** @throws Problem `game.unknown`, and the problems of `createFullChallenge` */
export async function findOrCreateSourceChallenge(
  deps: InstanceDeps,
  gameId: number,
  { challenge, source }: ChallengeOpen,
): Promise<ChallengeOpened> {
  const { id, edits } = await deps.db.transaction(async (transaction) => {
    // Concurrent calls with the same name wait for one another here.
    await lockGame(transaction, gameId)
    const present = await createSourceRepository(transaction).findChallengeByName(gameId, source.name)
    if (present) return { id: present.challengeId, edits: undefined }
    const created = await createFullChallenge(deps, transaction, gameId, challenge)
    await noteChallenge(deps, transaction, gameId, created.id, source)
    return created
  })
  if (edits) await finishChallengeEdits(deps, gameId, edits)
  return { id, isNew: edits !== undefined }
}

/** @throws Problem `game.unknown`, `challenge.unknown` */
export function setSourceChallenge(
  deps: Pick<InstanceDeps, 'clock' | 'config' | 'db' | 'runtime'>,
  gameId: number,
  challengeId: number,
  written: SourceWrite,
): Promise<ChallengeSource> {
  const { db } = deps
  return db.transaction(async (transaction) => {
    await lockGame(transaction, gameId)
    await getChallenge(deps, gameId, challengeId, transaction)
    return presentChallengeSource(await noteChallenge(deps, transaction, gameId, challengeId, written))
  })
}

/** Calls `replaceChallenge`, and stores `source` in the same transaction. @throws the problems of `replaceChallenge` */
export function replaceSourceChallenge(
  deps: InstanceDeps,
  gameId: number,
  id: number,
  { source, ...written }: FullChallengeWrite,
): Promise<FullChallenge> {
  return replaceChallenge(deps, gameId, id, written, async (transaction) => {
    if (source) await noteChallenge(deps, transaction, gameId, id, source)
  })
}
