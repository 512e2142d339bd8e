import { serverNow } from './clock.ts'
import { retryMs } from './retry-signs.ts'
import { hasUnsavedText } from './unsaved-text.ts'
import { readIndexPage } from './upgrade.ts'

/**
 * Number of consecutive reloads after which the file was still missing, and time of the last of these reloads (ms since 1970).
 */
type Reloads = Readonly<{ count: number; at: number }>

const reloadsKey = 'outage-reloads'
const maxPauseMs = 320_000
/** Time after which earlier reloads no longer count, in ms. */
const forgottenMs = 600_000

type Surroundings = Readonly<{
  /**
   * Returns the HTML of the page that the server returns now, or an empty text if the server is unavailable.
   * @throws Error if there is no connection
   */
  readPage: () => Promise<string>
  storage: Pick<Storage, 'getItem' | 'setItem'>
  reload: () => void
  now: () => number
}>

function lastReloads(storage: Surroundings['storage'], now: number): Reloads {
  const [count, at] = (storage.getItem(reloadsKey) ?? '').split(' ').map(Number)
  return count && at && now - at < forgottenMs ? { count, at } : { count: 0, at: 0 }
}

/**
 * Creates a function that reloads the page after an outage, because a file of the application is missing. It first reads the index
 * page, so that a reload never replaces the page with an error of the browser. If the file is still missing after a reload, the
 * next reload follows after a longer pause. It does not reload while the page contains text that the user has not saved.
 */
export function createOutageReload({ readPage, storage, reload, now }: Surroundings) {
  let isReading = false
  return async (): Promise<void> => {
    const { count, at } = lastReloads(storage, now())
    const pauseMs = count === 0 ? 0 : Math.min(maxPauseMs, retryMs * 2 ** count)
    if (isReading || now() < at + pauseMs || hasUnsavedText()) return
    isReading = true
    const page = await readPage().catch(() => '')
    isReading = false
    if (page === '') return
    storage.setItem(reloadsKey, `${count + 1} ${now()}`)
    reload()
  }
}

export const reloadAfterOutage = createOutageReload({
  readPage: readIndexPage,
  storage: sessionStorage,
  reload: () => location.reload(),
  now: serverNow,
})
