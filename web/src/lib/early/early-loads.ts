import { serverNow } from '../clock.ts'
import { rememberedLanguage } from '../languages.ts'

/** Needs of the pages of visitors and players, as the build found them. Files are names below `/static`. */
export type EarlyTable = Readonly<{
  pages: readonly EarlyPage[]
  languages: Readonly<Record<string, EarlyLanguage>>
}>

type EarlyPage = Readonly<{
  /** Regular expression for its addresses. The first group is the `{id}` of calls. */
  address: string
  files: readonly string[]
  /** Areas of its texts, besides the common ones. */
  areas: readonly string[]
  calls: readonly string[]
  /** Calls that the server answers only after the start of the game, which the previous call reports. */
  callsOnceStarted: readonly string[]
}>

type EarlyLanguage = Readonly<{
  files: readonly string[]
  /** Hashes of text files by area. Complete names would be most of the page. */
  texts: Readonly<Record<string, string>>
}>

export function textFile(language: string, area: string, hash: string): string {
  return `texts/${language}/${area}-${hash}.js`
}

/** Call that was made before any script of the page had loaded. */
export type EarlyCall = Readonly<{
  sentAt: number
  answer: Promise<Response>
  abort: () => void
}>

/** Name of the member of `window` with the calls by address. */
export const earlyCalls = 'capstanEarlyCalls'

declare global {
  interface Window {
    [earlyCalls]?: Map<string, EarlyCall>
  }
}

/** Key in local storage of the answers of earlier visits (`cache.ts`). "Clean cache" of the error screen removes it. */
export const cacheKey = 'capstan-cache'

/** Every page requests the session. */
const sessionAddress = '/api/account/session'

/**
 * Requests the files, texts and calls of the page at this address. Without this, the entry would request files and texts, and
 * the files would request calls, one after another. Missing parts are requested later, so this is optional.
 */
export function loadEarly({ pages, languages }: EarlyTable, nonce: string): void {
  const link = (rel: string, href: string, as = '') => {
    const link = document.createElement('link')
    Object.assign(link, { rel, as, nonce, crossOrigin: '', href })
    document.head.append(link)
  }
  // A style sheet in the page blocks the first paint until it has loaded.
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
    // The caller that uses the answer handles its failure.
    answer.catch(() => undefined)
    calls.set(address, { sentAt: serverNow(), answer, abort: () => controller.abort() })
  }
  const load = (file: string) => {
    const isStyle = file.endsWith('.css')
    link(isStyle ? 'preload' : 'modulepreload', `/static/${file}`, isStyle ? 'style' : '')
  }
  // A returning visitor may have these answers in the cache.
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
