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
  pusher: string[] | undefined
}

/** Builds images with `builder`; then pushes each with `pusher`, if there is one. */
export function buildImages(images: Image[], builder: string[], pusher?: string[]): Promise<void>
