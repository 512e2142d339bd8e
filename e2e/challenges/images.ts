import { challengeFolder, hasContainer, type ImageSource, imageName, listManifests } from './manifest.ts'

/** Container image of the demo game, and the program that runs in its place if there is no container engine. */
export type DemoImage = Readonly<{
  image: string
  /** Program and arguments; `node` is the running Node. The program reads FLAG, TEAM_ID, PORT and HOST (address to listen on). */
  command: readonly [string, ...string[]]
  cwd: string
  /** Port inside the container. A child process listens on PORT instead. */
  port: number
}>

/** Returns the images of the demo game. It only reads files. */
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
