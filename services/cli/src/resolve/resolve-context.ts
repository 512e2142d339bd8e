import type { LoadedChallenge } from '../game-folder.ts'

export type GenerateRequest = Readonly<{
  command: readonly string[]
  cwd: string
  flag: string | undefined
}>

/** Environment, commands and built images of the machine on which files are resolved. */
export type ResolveContext = Readonly<{
  environment: Readonly<Record<string, string | undefined>>
  /** Runs a command of the author. Absent if commands must not run; generated files are then known only after apply. */
  make: ((order: GenerateRequest) => Promise<Uint8Array>) | undefined
  /** Returns the image of a container. @returns undefined if the image was not built from the present sources */
  imageOf: (loaded: LoadedChallenge, container: string) => string | undefined
}>

/** Error for a file that cannot be applied. The message is the reason. */
export class Unresolved extends Error {}
