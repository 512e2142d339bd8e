interface Image {
  name: string
  context: string
  dockerfile: string
  /** Further arguments of the build. */
  args: string[]
  /** The chart names it. */
  ofChart: boolean
}

/** What the arguments ask for. */
export function readArguments(args: string[]): {
  images: Image[]
  builder: string[]
  list: boolean
  repository: string
  tag: string
  valuesFile: string | undefined
  /** What pushes; undefined: nothing is pushed. */
  engine: string | undefined
}

/** Builds images with `builder`; then pushes each with `engine`, if there is one, and returns the digests by short name. */
export function buildImages(images: Image[], builder: string[], engine?: string): Promise<Record<string, string>>

/** Values of the chart, as YAML, for images that were pushed. */
export function chartValues(repository: string, tag: string, digests: Readonly<Record<string, string>>): string
