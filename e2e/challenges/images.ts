import { challengeFolder, hasContainer, type ImageSource, imageName, listManifests } from './manifest.ts'

/** A container image of the demo game and the program that stands in for it where there is no container engine. */
export type DemoImage = Readonly<{
  image: string
  /** Program and arguments; `node` is the Node that runs now. Give it FLAG, TEAM_ID, PORT and HOST (address to listen on). */
  command: readonly [string, ...string[]]
  /** Folder to run it in. */
  cwd: string
  /** Port inside the container; the child process listens on PORT instead. */
  port: number
}>

/** The demo game's images. Needs nothing but the file system. */
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
