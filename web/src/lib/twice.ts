const pauseMs = 1000

/** A file that did not arrive is asked for once more: connections change while people walk. */
export const twice = <File>(load: () => Promise<File>): Promise<File> =>
  load().catch(() => new Promise<void>((resolve) => setTimeout(resolve, pauseMs)).then(load))
