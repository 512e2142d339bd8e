/** Arguments that an image gives to Node, flags first: its `CMD ["node", …]`. @throws where the Dockerfile has none */
export function imageCommandOf(dockerfile: string): string[] {
  const text = /^CMD (\[.*\])$/m.exec(dockerfile)?.[1]
  const command: unknown = text === undefined ? undefined : JSON.parse(text)
  if (!Array.isArray(command) || command[0] !== 'node') throw new Error('The image does not run `node …` by its CMD')
  return command.slice(1).map(String)
}

/** What comes before the entry: flags, some of which are two arguments. @throws where the Dockerfile has no command */
export function imageFlagsOf(dockerfile: string): string[] {
  return imageCommandOf(dockerfile).slice(0, -1)
}

/** Variables that the last stage of an image sets: its lines `ENV NAME=value NAME=value`. */
export function imageEnvironmentOf(dockerfile: string): Record<string, string> {
  const lastStage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))
  const pairs = [...lastStage.matchAll(/^ENV (.+)$/gm)].flatMap(([, text = '']) => text.trim().split(/ +/))
  return Object.fromEntries(
    pairs.map((pair) => {
      const end = pair.indexOf('=')
      return [pair.slice(0, end), pair.slice(end + 1)]
    }),
  )
}
