import { serverNow } from '../clock.ts'
import { rememberedLanguage } from '../languages.ts'

/** What the pages of visitors and players need, as the build found it. Files are names below `/static`. */
export interface EarlyTable {
  readonly pages: readonly EarlyPage[]
  /** By their codes. */
  readonly languages: Readonly<Record<string, EarlyLanguage>>
}

interface EarlyPage {
  /** Source of the expression for its addresses; its first group is the `{id}` of calls. */
  readonly address: string
  readonly files: readonly string[]
  /** Of its texts, beside the common ones. */
  readonly areas: readonly string[]
  /** Addresses of its calls. */
  readonly calls: readonly string[]
  /** Of calls that can be answered once the game has started, which the call before them tells. */
  readonly callsOnceStarted: readonly string[]
}

interface EarlyLanguage {
  /** What every page needs. */
  readonly files: readonly string[]
  /** Hashes in the names of files of texts, by area: the names themselves would be most of the page. */
  readonly texts: Readonly<Record<string, string>>
}

/** The file of the texts of an area. */
export const textFile = (language: string, area: string, hash: string): string => `texts/${language}/${area}-${hash}.js`

/** A call that was made before any script of the page had arrived. */
export interface EarlyCall {
  /** Milliseconds since 1970, by the visitor's clock. */
  readonly sentAt: number
  readonly answer: Promise<Response>
  readonly abort: () => void
}

/** Name of the window's member that holds the calls, by address. */
export const earlyCalls = 'capstanEarlyCalls'

declare global {
  interface Window {
    [earlyCalls]?: Map<string, EarlyCall>
  }
}

/** Key in local storage of the answers of earlier visits (`cache.ts`); "clean cache" of the error screen removes it. */
export const cacheKey = 'capstan-cache'

/** The session is asked for on every page. */
const sessionAddress = '/api/account/session'

/**
 * Asks for the files, texts and calls of the page at this address. Otherwise they would be asked for one after another: files and
 * texts by the entry, calls by the files. Nothing depends on it: what is missing here is asked for then.
 */
export function loadEarly({ pages, languages }: EarlyTable, nonce: string): void {
  const link = (rel: string, href: string, as = '') => {
    const link = document.createElement('link')
    Object.assign(link, { rel, as, nonce, crossOrigin: '', href })
    document.head.append(link)
  }
  // Nothing is painted before a style sheet that stands in the page has arrived.
  for (const { href } of document.querySelectorAll<HTMLLinkElement>('link[rel=preload][as=style]')) link('stylesheet', href)
  const calls = new Map<string, EarlyCall>()
  window[earlyCalls] = calls
  const language = rememberedLanguage()
  const ask = (address: string) => {
    const controller = new AbortController()
    const answer = fetch(address, {
      headers: { Accept: 'application/json', 'Accept-Language': language },
      credentials: 'same-origin',
      signal: controller.signal,
    })
    // Who takes it sees its failure.
    answer.catch(() => undefined)
    calls.set(address, { sentAt: serverNow(), answer, abort: () => controller.abort() })
  }
  const load = (file: string) => {
    const isStyle = file.endsWith('.css')
    link(isStyle ? 'preload' : 'modulepreload', `/static/${file}`, isStyle ? 'style' : '')
  }
  // Who has been here may have kept what they ask for.
  const askOnceStarted = async (game: EarlyCall | undefined, addresses: readonly string[]) => {
    if (!game || localStorage.getItem(cacheKey)) return
    const answer = await game.answer
    const { start } = (await answer.clone().json()) as { readonly start?: string }
    if (answer.ok && Date.parse(start ?? '') <= serverNow()) addresses.forEach(ask)
  }
  ask(sessionAddress)
  for (const page of pages) {
    const match = new RegExp(page.address, 'i').exec(location.pathname)
    if (!match) continue
    const address = (call: string) => call.replace('{id}', match[1] ?? '')
    for (const call of page.calls) ask(address(call))
    askOnceStarted(calls.get(address(page.calls[0] ?? '')), page.callsOnceStarted.map(address)).catch(() => undefined)
    const { files = [], texts = {} } = languages[language] ?? {}
    for (const file of [...page.files, ...files]) load(file)
    for (const [area, hash] of Object.entries(texts)) if (page.areas.includes(area)) load(textFile(language, area, hash))
    return
  }
}
