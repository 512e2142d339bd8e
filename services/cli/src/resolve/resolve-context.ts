import type { LoadedChallenge } from '../game-folder.ts'

export type GenerateRequest = Readonly<{
  command: readonly string[]
  cwd: string
  flag: string | undefined
}>

/** Temporary folder of a command that applies files. */
export type Workspace = Readonly<{
  folder: string
  /** Runs a command of the author that generates a file. @returns the path of the file, which is inside of `folder` */
  make: (order: GenerateRequest) => Promise<string>
}>

/** Environment, commands and built images of the machine on which files are resolved. */
export type ResolveContext = Readonly<{
  environment: Readonly<Record<string, string | undefined>>
  /** Workspace, which is undefined if commands of authors must not run. Generated files are then known only after apply. */
  workspace: Workspace | undefined
  /** Returns the image of a container. @returns undefined if the image was not built from the current sources */
  imageOf: (loaded: LoadedChallenge, container: string) => string | undefined
}>

/** Error for a file that cannot be applied. The message is the reason. */
export class Unresolved extends Error {}
