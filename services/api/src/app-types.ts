import type { PeopleDeps } from './people/deps.ts'
import type { BoardMaker } from './play/scoreboard/board-maker.ts'

/** Resources of an api process. `buildApp` adds them to the Fastify app as `app.deps`. */
export type AppDeps = PeopleDeps &
  Readonly<{
    /** Worker thread that builds scoreboards. If undefined, the calling thread builds them. */
    boardMaker?: BoardMaker
  }>
