import type { GameDetail } from '@capstan/contract/games'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { serverNow } from '../clock.ts'
import { languageKey } from '../languages.ts'
import { takeEarlyCall } from './early-calls.ts'
import { cacheKey, type EarlyTable, requestPageFilesEarly } from './early-loads.ts'

const german = { files: ['texts/de-DE/common-1.js', 'de-1.js'], texts: { home: 'aa', scoreboard: 'bb' } }
const table: EarlyTable = {
  pages: [
    {
      address: '^/?$',
      files: ['home-1.js', 'home-1.css'],
      areas: ['home'],
      calls: ['/api/game'],
      callsOnceStarted: [],
      callsOfPlayers: [],
    },
    {
      address: '^/games/([1-9]\\d{0,9})/Scoreboard/?$',
      files: ['board-1.js'],
      areas: ['scoreboard'],
      calls: ['/api/game/{id}'],
      callsOnceStarted: ['/api/game/{id}/scoreboard/leading'],
      callsOfPlayers: ['/api/team'],
    },
  ],
  languages: { 'de-DE': german, 'en-US': { files: [], texts: { home: 'cc', scoreboard: 'dd' } } },
}

const asked = vi.fn<typeof fetch>()
beforeEach(() => {
  localStorage.setItem(languageKey, 'de-DE')
  document.head.innerHTML =
    '<link rel="modulepreload" href="/static/vendor-1.js"><link rel="preload" as="style" href="/static/core-1.css">'
  asked.mockImplementation(async () => new Response('[]'))
  vi.stubGlobal('fetch', asked)
})
afterEach(() => {
  localStorage.clear()
  asked.mockReset()
  vi.unstubAllGlobals()
})

function open(address: string) {
  history.replaceState(null, '', address)
  requestPageFilesEarly(table, 'n0nce')
}
function links() {
  return [...document.querySelectorAll('link')]
    .slice(2)
    .map((link) => [link.rel, link.getAttribute('href'), link.nonce].join(' '))
}
function calls() {
  return asked.mock.calls.map(([address]) => address)
}

it("the script immediately requests the files, the texts in the visitor's language and the calls of the page", () => {
  open('/')
  expect(links()).toEqual([
    'stylesheet http://localhost:3000/static/core-1.css n0nce',
    'modulepreload /static/home-1.js n0nce',
    'preload /static/home-1.css n0nce',
    'modulepreload /static/texts/de-DE/common-1.js n0nce',
    'modulepreload /static/de-1.js n0nce',
    'modulepreload /static/texts/de-DE/home-aa.js n0nce',
  ])
  expect(calls()).toEqual(['/api/account/session', '/api/game'])
  expect(new Headers(asked.mock.calls[1]?.[1]?.headers).get('Accept-Language')).toBe('de-DE')
})

it('the script requests no data for a page that is missing in the table', () => {
  open('/admin')
  expect(links()).toEqual(['stylesheet http://localhost:3000/static/core-1.css n0nce'])
  expect(calls()).toEqual(['/api/account/session'])
})

it('the script finds a page regardless of the case of its address, and inserts the game id into its calls', () => {
  open('/games/7/scoreboard/')
  expect(calls()).toEqual(['/api/account/session', '/api/game/7'])
})

function answerGame(game: Partial<GameDetail>) {
  return asked.mockImplementation(async () => Response.json({ start: past, end: future, practiceMode: false, ...game }))
}
const past = '2020-01-01T00:00:00Z'
const future = '2999-01-01T00:00:00Z'

it('the script requests the data of a started game after reading the game', async () => {
  answerGame({ status: 'Unsubmitted' })
  open('/games/7/scoreboard')
  await expect.poll(calls).toEqual(['/api/account/session', '/api/game/7', '/api/game/7/scoreboard/leading'])
  expect(await (await takeEarlyCall('/api/game/7')?.answer)?.json()).toMatchObject({ start: past })
})

it.each<[string, boolean, Partial<GameDetail>]>([
  ['sends the calls of players while the game is running', true, {}],
  ['sends the calls of players after the end of a game with practice mode', true, { end: past, practiceMode: true }],
  ['sends no calls of players after the end of a game without practice mode', false, { end: past }],
  ['sends no calls of players if the team is not accepted', false, { status: 'Pending' }],
])('the script %s', async (_, isSent, game) => {
  answerGame({ status: 'Accepted', ...game })
  open('/games/7/scoreboard')
  await expect.poll(calls).toContain('/api/game/7/scoreboard/leading')
  expect(calls().includes('/api/team')).toBe(isSent)
})

/**
 * Opens the page of a second game, which has started, and waits for the last call of this page. The page that was opened before
 * then has no further calls to send, because it received its response earlier.
 * @returns the calls of the page that was opened before
 */
async function callsBeforeNextPage() {
  localStorage.removeItem(cacheKey)
  answerGame({ status: 'Unsubmitted' })
  open('/games/8/scoreboard')
  const next = ['/api/account/session', '/api/game/8', '/api/game/8/scoreboard/leading']
  await expect.poll(calls).toContain(next.at(-1))
  const all = calls()
  for (const call of next) all.splice(all.lastIndexOf(call), 1)
  return all
}

it('the script sends no calls that follow the response of the game if the page already uses this response', async () => {
  answerGame({ status: 'Accepted' })
  open('/games/7/scoreboard')
  takeEarlyCall('/api/game/7')
  expect(await callsBeforeNextPage()).toEqual(['/api/account/session', '/api/game/7'])
})

it.each([
  ['before the start', () => answerGame({ start: future })],
  ['if the game is unknown', () => asked.mockImplementation(async () => new Response('{}', { status: 404 }))],
  [
    'if the cache may contain the answers',
    () => {
      answerGame({ status: 'Accepted' })
      localStorage.setItem(cacheKey, 'x')
    },
  ],
])('sends no request for the data of a started game %s', async (_, prepare) => {
  prepare()
  open('/games/7/scoreboard')
  expect(await callsBeforeNextPage()).toEqual(['/api/account/session', '/api/game/7'])
})

it('a response to a request of the inline script can be used only once, and only for 30 seconds', () => {
  open('/')
  expect(takeEarlyCall('/api/game')).toBeDefined()
  expect(takeEarlyCall('/api/game')).toBeUndefined()
  expect(takeEarlyCall('/api/account/session', serverNow() + 31_000)).toBeUndefined()
})
