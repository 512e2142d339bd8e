import type { GameDetail } from '@capstan/contract/games'
import { serverNow } from '../clock.ts'
import { getSelectedLanguage } from '../languages.ts'

/** Files, texts and calls of each page for visitors and players. File names are relative to `/static`. */
export type EarlyTable = Readonly<{
  pages: readonly EarlyPage[]
  languages: Readonly<Record<string, EarlyLanguage>>
}>

type EarlyPage = Readonly<{
  /**
   * Regular expression that matches the addresses of the page. The first group of a match is the value of `{id}` in the calls.
   */
  address: string
  files: readonly string[]
  /** Areas of the texts that the page needs, in addition to the areas that every page loads. */
  areas: readonly string[]
  calls: readonly string[]
  /** Calls that fail before the game starts. The script sends them only for a game that has started. */
  callsOnceStarted: readonly string[]
  /** Calls that succeed only for players of an accepted team, while the challenges are open. */
  callsOfPlayers: readonly string[]
}>

type EarlyLanguage = Readonly<{
  files: readonly string[]
  /** Hashes of text files by area. The page contains only hashes, because complete file names would make up most of the page. */
  texts: Readonly<Record<string, string>>
}>

export function addressOfTextFile(language: string, area: string, hash: string): string {
  return `texts/${language}/${area}-${hash}.js`
}

/** Call that the page sent before any of its scripts had loaded. */
export type EarlyCall = Readonly<{
  sentAt: number
  answer: Promise<Response>
  abort: () => void
}>

/** Name of the property of `window` that contains the early calls by address. */
export const earlyCalls = 'capstanEarlyCalls'

declare global {
  interface Window {
    [earlyCalls]?: Map<string, EarlyCall>
  }
}

/**
 * Local storage key of the responses from earlier visits (`cache.ts`). The button "Clean cache" of the error screen removes the
 * responses.
 */
export const cacheKey = 'capstan-cache'

/** Address of the call that every page sends. */
const sessionAddress = '/api/account/session'

/**
 * Requests the files, texts and calls of the page at this address. Without these early requests, the browser would request them
 * in sequence: first the entry script, then the files and texts, and then the calls. Failures do no harm, because the page
 * requests missing parts itself.
 */
export function requestPageFilesEarly({ pages, languages }: EarlyTable, nonce: string): void {
  const link = (rel: string, href: string, as = '') => {
    const link = document.createElement('link')
    Object.assign(link, { rel, as, nonce, crossOrigin: '', href })
    document.head.append(link)
  }
  // A style sheet link in the HTML would block the first paint, so the script adds it.
  for (const { href } of document.querySelectorAll<HTMLLinkElement>('link[rel=preload][as=style]')) link('stylesheet', href)
  const calls = new Map<string, EarlyCall>()
  window[earlyCalls] = calls
  const language = getSelectedLanguage()
  const ask = (address: string) => {
    const controller = new AbortController()
    const answer = fetch(address, {
      headers: { Accept: 'application/json', 'Accept-Language': language },
      credentials: 'same-origin',
      signal: controller.signal,
    })
    // The code that uses the response handles its error, so ignore the error here.
    answer.catch(() => undefined)
    calls.set(address, { sentAt: serverNow(), answer, abort: () => controller.abort() })
  }
  const load = (file: string) => {
    const isStyle = file.endsWith('.css')
    link(isStyle ? 'preload' : 'modulepreload', `/static/${file}`, isStyle ? 'style' : '')
  }
  // Skip these calls if the browser has stored responses from an earlier visit.
  const askAfterGame = async (gameCall: string, onceStarted: readonly string[], ofPlayers: readonly string[]) => {
    const game = calls.get(gameCall)
    if (!game || localStorage.getItem(cacheKey)) return
    const answer = await game.answer
    if (!answer.ok) return
    const { start, end, practiceMode, status } = (await answer.clone().json()) as GameDetail
    const now = serverNow()
    // If the page already uses the response, it makes the next calls itself.
    if (Date.parse(start) > now || !calls.has(gameCall)) return
    onceStarted.forEach(ask)
    if (status === 'Accepted' && (practiceMode || now <= Date.parse(end))) ofPlayers.forEach(ask)
  }
  ask(sessionAddress)
  for (const page of pages) {
    const match = new RegExp(page.address, 'i').exec(location.pathname)
    if (!match) continue
    const address = (call: string) => call.replace('{id}', match[1] ?? '')
    for (const call of page.calls) ask(address(call))
    const gameCall = address(page.calls[0] ?? '')
    askAfterGame(gameCall, page.callsOnceStarted.map(address), page.callsOfPlayers.map(address)).catch(() => undefined)
    const { files = [], texts = {} } = languages[language] ?? {}
    for (const file of [...page.files, ...files]) load(file)
    for (const [area, hash] of Object.entries(texts)) if (page.areas.includes(area)) load(addressOfTextFile(language, area, hash))
    return
  }
}
