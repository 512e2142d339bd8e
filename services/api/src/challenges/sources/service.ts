import type { WholeChallenge, WholeChallengeWrite } from '@capstan/contract/challenge'
import { Problem } from '@capstan/contract/problems'
import type {
  ChallengeOpen,
  ChallengeOpened,
  ChallengeSource,
  GameFound,
  GameOpen,
  GameOpened,
  GameSource,
  SourceWrite,
} from '@capstan/contract/sources'
import type { Executor } from '@capstan/db/client'
import { createGameService } from '../../games/editing/service.ts'
import type { InstanceDeps } from '../../instances/deps.ts'
import { createChallengeService } from '../editing/service.ts'
import { createFullChallengeService } from '../editing/whole-service.ts'
import { presentChallengeSource, presentGameSource } from './presenter.ts'
import { sourceRepository } from './repository.ts'

/** Rolls back a new game if a concurrent call created a game with its name. */
class NameTaken extends Error {}

/** Sources of games and challenges that are managed as code. ADR 32. */
export function createSourceService(deps: InstanceDeps) {
  const { db, clock } = deps
  const games = createGameService(deps)
  const challenges = createChallengeService(deps)
  const whole = createFullChallengeService(deps)
  const sources = sourceRepository(db)

  const find = async (name: string): Promise<number | null> => (await sources.findGameByName(name))?.gameId ?? null

  const noteChallenge = (executor: Executor, gameId: number, challengeId: number, { name, remembered }: SourceWrite) =>
    sourceRepository(executor).setChallenge(gameId, challengeId, { name, remembered, appliedAt: clock.now() })

  return {
    findGame: async (name: string): Promise<GameFound> => ({ id: await find(name) }),

    /** @throws Problem `game.times`, `game.divisions`, `game.division-code` */
    async openGame({ name, settings }: GameOpen): Promise<GameOpened> {
      const present = await find(name)
      if (present !== null) return { id: present, isNew: false }
      try {
        const { game } = await games.create(settings, async (transaction, { id }) => {
          if (!(await sourceRepository(transaction).insertGame(id, name))) throw new NameTaken()
        })
        return { id: game.id, isNew: true }
      } catch (error) {
        const other = error instanceof NameTaken ? await find(name) : null
        if (other === null) throw error
        return { id: other, isNew: false }
      }
    },

    /** @throws Problem `game.unknown` */
    async getGame(gameId: number): Promise<GameSource> {
      await games.get(gameId)
      return presentGameSource(await sources.findGame(gameId), await sources.listChallenges(gameId))
    },

    /**
     * Sets the source name of a game.
     * @param isForOneGame true if the caller may change this game alone; it then cannot take the name from another game
     * @throws Problem `game.unknown`, `token.game`
     */
    setGame: (gameId: number, { name, remembered }: SourceWrite, isForOneGame: boolean): Promise<void> =>
      db.transaction(async (transaction) => {
        const repository = sourceRepository(transaction)
        await games.lock(transaction, gameId)
        const known = isForOneGame ? await repository.findGameByName(name) : undefined
        if (known && known.gameId !== gameId) throw new Problem('token.game')
        await repository.setGame(gameId, { name, remembered, appliedAt: clock.now() })
      }),

    /** @throws Problem `game.unknown` */
    openChallenge: (gameId: number, { name, ...wanted }: ChallengeOpen): Promise<ChallengeOpened> =>
      db.transaction(async (transaction) => {
        // Concurrent calls with the same name wait for each other.
        await games.lock(transaction, gameId)
        const present = await sourceRepository(transaction).findChallengeByName(gameId, name)
        if (present) return { id: present.challengeId, isNew: false }
        const { id } = await challenges.create(gameId, wanted, transaction)
        await sourceRepository(transaction).insertChallenge({ gameId, challengeId: id, name })
        return { id, isNew: true }
      }),

    /** @throws Problem `game.unknown`, `challenge.unknown` */
    setChallenge: (gameId: number, challengeId: number, written: SourceWrite): Promise<ChallengeSource> =>
      db.transaction(async (transaction) => {
        await games.lock(transaction, gameId)
        await challenges.get(gameId, challengeId, transaction)
        return presentChallengeSource(await noteChallenge(transaction, gameId, challengeId, written))
      }),

    /** Writes all fields of a challenge with its source. @throws Problem as `createFullChallengeService().set` */
    setWholeChallenge: (gameId: number, id: number, { source, ...written }: WholeChallengeWrite): Promise<WholeChallenge> =>
      whole.set(gameId, id, written, async (transaction) => {
        if (source) await noteChallenge(transaction, gameId, id, source)
      }),
  }
}
