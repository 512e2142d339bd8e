import { challengeFolder, hasContainer, type ImageSource, imageName, listManifests } from './manifest.ts'

/** Container image of the demo game, and the program that replaces it without a container engine. */
export type DemoImage = Readonly<{
  image: string
  /** Program and arguments; `node` is the running Node. It needs FLAG, TEAM_ID, PORT and HOST (address to listen on). */
  command: readonly [string, ...string[]]
  cwd: string
  /** Port inside the container. The child process listens on PORT instead. */
  port: number
}>

/** Returns the demo game's images. It only reads the file system. */
export function listDemoImages(source: ImageSource = {}): DemoImage[] {
  return listManifests()
    .filter(hasContainer)
    .map((manifest) => {
      const [program, ...rest] = manifest.run
      return {
        image: imageName(manifest, source),
        command: [program === 'node' ? process.execPath : program, ...rest],
        cwd: challengeFolder(manifest.slug),
        port: manifest.port,
      }
    })
}
