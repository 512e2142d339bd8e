const pauseMs = 1000

/** Loads a file, and tries once more after a short pause when the first try fails. */
export const retryOnce = <File>(load: () => Promise<File>): Promise<File> =>
  load().catch(() => new Promise<void>((resolve) => setTimeout(resolve, pauseMs)).then(load))
