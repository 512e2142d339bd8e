import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { serverNow } from '../clock.ts'
import { languageKey } from '../languages.ts'
import { takeEarlyCall } from './early-calls.ts'
import { type EarlyTable, requestPageFilesEarly } from './early-loads.ts'

const german = { files: ['texts/de-DE/common-1.js', 'de-1.js'], texts: { home: 'aa', scoreboard: 'bb' } }
const table: EarlyTable = {
  pages: [
    { address: '^/?$', files: ['home-1.js', 'home-1.css'], areas: ['home'], calls: ['/api/game'], callsOnceStarted: [] },
    {
      address: '^/games/([1-9]\\d{0,9})/Scoreboard/?$',
      files: ['board-1.js'],
      areas: ['scoreboard'],
      calls: ['/api/game/{id}'],
      callsOnceStarted: ['/api/game/{id}/scoreboard/leading'],
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

function answerGame(start: string) {
  return asked.mockImplementation(async () => Response.json({ start }))
}
const early = '2020-01-01T00:00:00Z'

it('the script requests the data of a started game after reading the game', async () => {
  answerGame(early)
  open('/games/7/scoreboard')
  await expect.poll(calls).toEqual(['/api/account/session', '/api/game/7', '/api/game/7/scoreboard/leading'])
  expect(await (await takeEarlyCall('/api/game/7')?.answer)?.json()).toEqual({ start: early })
})

it.each([
  ['before the start', () => answerGame('2999-01-01T00:00:00Z')],
  ['if the game is unknown', () => asked.mockImplementation(async () => new Response('{}', { status: 404 }))],
  [
    'if the cache may contain the answers',
    () => {
      answerGame(early)
      localStorage.setItem('capstan-cache', 'x')
    },
  ],
])('sends no request for the data of a started game %s', async (_, prepare) => {
  prepare()
  open('/games/7/scoreboard')
  await asked.mock.results[1]?.value
  await new Promise((resolve) => setTimeout(resolve))
  expect(calls()).toEqual(['/api/account/session', '/api/game/7'])
})

it('a response to a request of the inline script can be used only once, and only for 30 seconds', () => {
  open('/')
  expect(takeEarlyCall('/api/game')).toBeDefined()
  expect(takeEarlyCall('/api/game')).toBeUndefined()
  expect(takeEarlyCall('/api/account/session', serverNow() + 31_000)).toBeUndefined()
})
