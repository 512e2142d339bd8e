import { readFile } from 'node:fs/promises'

export type Image = Readonly<{
  flags: readonly string[]
  entry: string
  environment: Readonly<Record<string, string>>
}>

/**
 * Parses the Node options from `CMD ["node", …]`, and the environment variables from the `ENV` lines of the last stage.
 * @throws if the Dockerfile does not run Node
 */
export function parseImageDockerfile(dockerfile: string): Image {
  const text = /^CMD (\[.*\])$/m.exec(dockerfile)?.[1]
  const command = text === undefined ? [] : (JSON.parse(text) as string[])
  const entry = command.at(-1)
  if (command[0] !== 'node' || entry === undefined) throw new Error('The image does not run `node …` by its CMD')
  const lastStage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))
  const pairs = [...lastStage.matchAll(/^ENV (.+)$/gm)].flatMap(([, line = '']) => line.trim().split(/ +/))
  const environment = pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)])
  return { flags: command.slice(1, -1), entry, environment: Object.fromEntries(environment) }
}

/**
 * Reads and parses the Dockerfile of a service.
 * @param folder path relative to the root of the repository
 */
export async function readImageDockerfile(folder: string): Promise<Image> {
  return parseImageDockerfile(await readFile(new URL(`../${folder}/Dockerfile`, import.meta.url), 'utf8'))
}
