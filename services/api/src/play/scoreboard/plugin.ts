import fastifyPlugin from 'fastify-plugin'
import type { ChallengeLocks } from '../../server/players/locks.ts'
import { createBoardMaker } from './board-maker.ts'
import { createScoreboardService, type ScoreboardService, type ScoreboardTimings } from './service.ts'
import { checkUnlocked, isLocked } from './unlocking.ts'

declare module 'fastify' {
  interface FastifyInstance {
    scoreboards: ScoreboardService
    locks: ChallengeLocks
  }
}

export type ScoreboardPluginOptions = Readonly<{
  timings?: Partial<ScoreboardTimings>
}>

export const scoreboardPlugin = fastifyPlugin<ScoreboardPluginOptions>(
  async (app, options) => {
    const scoreboards = createScoreboardService({
      ...app.deps,
      boardMaker: app.deps.boardMaker ?? createBoardMaker(app.deps),
      log: app.log,
      onRebuilt: (durationMs) => app.metrics.scoreboardRebuilds.observe(durationMs / 1_000),
      ...options,
    })
    app.decorate('scoreboards', scoreboards)
    const unlockingDeps = { ...app.deps, scoreboards }
    app.decorate('locks', {
      isLocked: (player, challenge) => isLocked(unlockingDeps, player, challenge),
      checkUnlocked: (player, challenge) => checkUnlocked(unlockingDeps, player, challenge),
    })
    app.addHook('onReady', async () => scoreboards.start())
    app.addHook('onClose', () => scoreboards.close())
  },
  { name: 'scoreboards', dependencies: ['metrics'] },
)
