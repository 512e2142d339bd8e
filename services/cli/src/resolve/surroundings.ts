import type { LoadedChallenge } from '../game-folder.ts'

/** A file that a command writes. */
export interface MakeOrder {
  readonly command: readonly string[]
  /** Folder of this machine to run it in. */
  readonly cwd: string
  readonly flag: string | undefined
}

/** Environment, commands and built images that complete the files of authors. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Absent if no command may run: made files are known after apply then. */
  readonly make: ((order: MakeOrder) => Promise<Uint8Array>) | undefined
  /** The image that was built of a challenge; undefined: none yet, or its sources have changed since. */
  readonly imageOf: (loaded: LoadedChallenge) => string | undefined
}

/** A file cannot be applied as it is; the message says why. */
export class Unresolved extends Error {}
