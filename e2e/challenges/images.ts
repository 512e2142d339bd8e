import { challengeFolder, demoImageName, hasContainer, type ImageSource, listManifests } from './manifest.ts'

/** Container image of the demo game, and the command that runs its program if there is no container engine. */
export type DemoImage = Readonly<{
  image: string
  /**
   * Program and arguments. If the program is `node`, it is replaced by the path of the running Node. The program reads
   * FLAG, TEAM_ID, PORT and HOST (address to listen on).
   */
  command: readonly [string, ...string[]]
  cwd: string
  /**
   * Port on which the program listens inside the container. A child process listens on the port in the environment variable PORT.
   */
  port: number
}>

/** Returns the images of the demo game. The function only reads files and builds nothing. */
export function listDemoImages(source: ImageSource = {}): DemoImage[] {
  return listManifests()
    .filter(hasContainer)
    .map((manifest) => {
      const [program, ...rest] = manifest.run
      return {
        image: demoImageName(manifest, source),
        command: [program === 'node' ? process.execPath : program, ...rest],
        cwd: challengeFolder(manifest.slug),
        port: manifest.port,
      }
    })
}
