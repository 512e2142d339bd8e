import { hasUnsavedText } from './unsaved-text.ts'

/** Versions for which this tab has already reloaded. */
const reloadedKey = 'reloaded-for'

type Surroundings = Readonly<{
  /**
   * Returns the HTML of the page that the server returns now.
   * @throws Error if there is no connection
   */
  readPage: () => Promise<string>
  storage: Pick<Storage, 'getItem' | 'setItem'>
  reload: () => void
}>

/** Returns the address of the entry script in the HTML. It changes with every version. */
function entryOf(page: Document): string | null {
  return page.querySelector('script[type=module][src]')?.getAttribute('src') ?? null
}

/**
 * Creates a handler for application files that fail to load. If the server has another version than the open page, the handler
 * reloads the page, once per version. It does not reload while the page contains text that the user entered but did not save.
 * @returns true if the page is reloading
 */
export function createUpgradeHandler(page: Document, { readPage, storage, reload }: Surroundings) {
  return async (): Promise<boolean> => {
    const loaded = entryOf(page)
    const source = await readPage().catch(() => '')
    const offered = entryOf(new DOMParser().parseFromString(source, 'text/html'))
    const reloadedFor = (storage.getItem(reloadedKey) ?? '').split(' ')
    if (!loaded || !offered || offered === loaded || reloadedFor.includes(offered) || hasUnsavedText()) return false
    storage.setItem(reloadedKey, [...reloadedFor, offered].join(' ').trim())
    reload()
    return true
  }
}

const handlers = new Set<() => void>()

/**
 * Registers a handler that runs before the page reloads, so that it can save text that the user entered.
 * @returns a function that removes the handler
 */
export function onUpgradeReload(handler: () => void): () => void {
  handlers.add(handler)
  return () => void handlers.delete(handler)
}

let nextAddress = (): string | undefined => undefined

/** Sets the function that returns the address of the pending navigation. A reload opens that address. */
export function setReaderOfPendingAddress(read: () => string | undefined): void {
  nextAddress = read
}

/**
 * Returns the HTML of the page that the server returns now, or an empty text if the server is unavailable.
 * @throws Error if there is no connection
 */
export async function readIndexPage(): Promise<string> {
  const answer = await fetch('/', { cache: 'no-store' })
  return answer.ok ? answer.text() : ''
}

const upgrade = createUpgradeHandler(document, {
  readPage: readIndexPage,
  storage: sessionStorage,
  reload: () => {
    for (const handler of handlers) handler()
    const next = nextAddress()
    if (next === undefined) location.reload()
    else location.assign(next)
  },
})

/** Reloads the page if the server was upgraded. In that case the promise never resolves. */
export async function reloadAfterUpgrade(): Promise<void> {
  if (await upgrade()) await new Promise<never>(() => undefined)
}
