interface Image {
  name: string
  context: string
  dockerfile: string
  /** Additional arguments of the build. */
  args: string[]
  /** True if the chart uses the image. */
  ofChart: boolean
}

/** Parses the arguments of the command. */
export function readArguments(args: string[]): {
  images: Image[]
  builder: string[]
  list: boolean
  repository: string
  tag: string
  valuesFile: string | undefined
  /** Tool that pushes the images; undefined if none are pushed. */
  engine: string | undefined
}

/** Builds images with `builder`. With `engine` it also pushes them, and returns a map from their short names to their digests. */
export function buildImages(images: Image[], builder: string[], engine?: string): Promise<Record<string, string>>

/** Values of the chart, as YAML, for images that were pushed. */
export function chartValues(repository: string, tag: string, digests: Readonly<Record<string, string>>): string
