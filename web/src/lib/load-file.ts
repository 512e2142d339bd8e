import { reloadAfterUpgrade } from './upgrade.ts'

const pauseMs = 1000

export class FileError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.name = 'FileError'
  }
}

/**
 * Loads a file of the application. Retries once after a short pause, unless the browser is offline. If the retry fails because an
 * upgrade has removed the file, the page reloads. In this case the promise never settles.
 * @throws FileError
 */
export async function loadApplicationFile<File>(load: () => Promise<File>): Promise<File> {
  try {
    return await load()
  } catch (error) {
    if (!navigator.onLine) throw new FileError(error)
    await new Promise<void>((resolve) => setTimeout(resolve, pauseMs))
    return load().catch(async (lastError: unknown) => {
      await reloadAfterUpgrade()
      throw new FileError(lastError)
    })
  }
}
