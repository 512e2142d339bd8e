interface Image {
  name: string
  context: string
  dockerfile: string
  /** Additional arguments of the build command. */
  args: string[]
  /** True if the chart deploys the image. */
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
  /** Command that pushes the images. Undefined if no images are pushed. */
  engine: string | undefined
}

/**
 * Builds images with the command `builder`, and also pushes them if `engine` is given.
 * @returns a map from the short name of each pushed image to its digest
 */
export function buildImages(images: Image[], builder: string[], engine?: string): Promise<Record<string, string>>

/** Values of the chart, as YAML, for images that were pushed. */
export function chartValuesForImages(repository: string, tag: string, digests: Readonly<Record<string, string>>): string
