import fastifyPlugin from 'fastify-plugin'
import type { LockService } from '../../server/players/locks.ts'
import { createBoardMaker } from './board-maker.ts'
import { createChallengeLockService } from './lock-service.ts'
import { createScoreboardService, type ScoreboardService, type ScoreboardTimings } from './service.ts'

declare module 'fastify' {
  interface FastifyInstance {
    scoreboards: ScoreboardService
    locks: LockService
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
    app.decorate('locks', createChallengeLockService({ ...app.deps, scoreboards }))
    app.addHook('onReady', async () => scoreboards.start())
    app.addHook('onClose', () => scoreboards.close())
  },
  { name: 'scoreboards', dependencies: ['metrics'] },
)
