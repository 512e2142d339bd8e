import type { LoadedChallenge } from '../game-folder.ts'

export type GenerateRequest = Readonly<{
  command: readonly string[]
  cwd: string
  flag: string | undefined
}>

/** Environment, commands and built images that complete the files of authors. */
export type ResolveContext = Readonly<{
  environment: Readonly<Record<string, string | undefined>>
  /** Absent if no command may run. Generated files are then known after apply. */
  make: ((order: GenerateRequest) => Promise<Uint8Array>) | undefined
  /** Returns the image of a challenge, or undefined if it was not built since its sources changed. */
  imageOf: (loaded: LoadedChallenge) => string | undefined
}>

/** Error for a file that cannot be applied. The message gives the reason. */
export class Unresolved extends Error {}
