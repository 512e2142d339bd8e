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

/** Local resources to which the files of a game refer: environment variables, commands and images. */
export type ResolveContext = Readonly<{
  environment: Readonly<Record<string, string | undefined>>
  /** Workspace in which commands of authors run. Undefined if commands of authors must not run. */
  workspace: Workspace | undefined
  /** Returns the image of a container. @returns undefined if the image was not built from the current sources */
  imageOf: (loaded: LoadedChallenge, container: string) => string | undefined
}>

/** Error for a file that cannot be applied. The message is the reason. */
export class Unresolved extends Error {}
