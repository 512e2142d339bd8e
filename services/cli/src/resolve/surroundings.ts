import type { LoadedChallenge } from '../game-folder.ts'

/** A file that a command writes. */
export type MakeOrder = Readonly<{
  command: readonly string[]
  /** Folder of this machine to run it in. */
  cwd: string
  flag: string | undefined
}>

/** Environment, commands and built images that complete the files of authors. */
export type Surroundings = Readonly<{
  environment: Readonly<Record<string, string | undefined>>
  /** Absent if no command may run: made files are known after apply then. */
  make: ((order: MakeOrder) => Promise<Uint8Array>) | undefined
  /** The image that was built of a challenge; undefined: none yet, or its sources have changed since. */
  imageOf: (loaded: LoadedChallenge) => string | undefined
}>

/** A file cannot be applied as it is; the message says why. */
export class Unresolved extends Error {}
