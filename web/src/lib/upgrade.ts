import { hasUnsavedText } from './unsaved-text.ts'

/** Versions that this tab was reloaded for. */
const reloadedKey = 'reloaded-for'

type Surroundings = Readonly<{
  /** @returns the source of the page as the server delivers it now @throws without a connection */
  readPage: () => Promise<string>
  storage: Pick<Storage, 'getItem' | 'setItem'>
  reload: () => void
}>

/** Address of the script that a page begins with: its name changes with every version. */
function entryOf(page: Document): string | null {
  return page.querySelector('script[type=module][src]')?.getAttribute('src') ?? null
}

/**
 * Creates a function for when a file of the application cannot be loaded. If the server has another version than the open page, the
 * page is reloaded, once for each version. Otherwise, and while a text is typed that a reload would lose, nothing happens.
 * @returns true if the page is being reloaded
 */
export function createUpgrade(page: Document, { readPage, storage, reload }: Surroundings) {
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

/** Calls `handler` before the page is reloaded, so that it can save what was typed. @returns a function that ends this */
export function onUpgradeReload(handler: () => void): () => void {
  handlers.add(handler)
  return () => void handlers.delete(handler)
}

let nextAddress = (): string | undefined => undefined

/** Names the address that is being opened, which a reload opens instead of the present one. */
export function setNextAddress(read: () => string | undefined): void {
  nextAddress = read
}

const upgrade = createUpgrade(document, {
  readPage: async () => {
    const answer = await fetch('/', { cache: 'no-store' })
    return answer.ok ? answer.text() : ''
  },
  storage: sessionStorage,
  reload: () => {
    for (const handler of handlers) handler()
    const next = nextAddress()
    if (next === undefined) location.reload()
    else location.assign(next)
  },
})

/** Reloads the page if the server was upgraded, and then never resolves, since the page is about to be replaced. */
export async function reloadAfterUpgrade(): Promise<void> {
  if (await upgrade()) await new Promise<never>(() => undefined)
}
