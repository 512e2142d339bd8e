import type { ClientConfig } from '@capstan/contract/settings'
import { expect, test } from 'vitest'
import { createContentSecurityPolicy, renderIndexPage } from './index-page.ts'

test('escapes title and description, and inserts the nonce wherever the page has a placeholder for it', () => {
  const template = '<title>%title%</title><meta content="%description%"><script nonce="%nonce%"></script><link nonce="%nonce%">'
  expect(renderIndexPage(template, { title: `<b>&"'`, description: 'a "quoted" $& text' }, 'n0nce')).toBe(
    '<title>&lt;b&gt;&amp;&quot;&#39;</title><meta content="a &quot;quoted&quot; $&amp; text"><script nonce="n0nce"></script><link nonce="n0nce">',
  )
})

test('shows the repository of the deployment, or an empty text if the deployment has none', () => {
  const template = '<meta name="repository" content="%repository%">'
  const settings = { title: '', description: '', repository: 'https://git.example.org/a?b&c' }
  expect(renderIndexPage(template, settings, 'n')).toBe('<meta name="repository" content="https://git.example.org/a?b&amp;c">')
  expect(renderIndexPage(template, { title: '', description: '' }, 'n')).toBe('<meta name="repository" content="">')
})

test('does not replace placeholders in the inserted texts', () => {
  expect(renderIndexPage('%title%|%description%', { title: '%nonce%', description: '' }, 'secret')).toBe('%nonce%|')
})

test('escapes the config as an attribute, and inserts null if the config is unknown', () => {
  const config = { title: '"><script>' } as unknown as ClientConfig
  const settings = { title: '', description: '' }
  expect(renderIndexPage('<meta content="%config%">', { ...settings, config }, 'n')).toBe(
    '<meta content="{&quot;title&quot;:&quot;\\&quot;&gt;&lt;script&gt;&quot;}">',
  )
  expect(renderIndexPage('%config%', settings, 'n')).toBe('null')
})

test('allows only scripts with the nonce', () => {
  expect(createContentSecurityPolicy('abc')).toContain("script-src 'self' 'nonce-abc' 'strict-dynamic'")
})

const harbour = { title: 'Harbour', description: 'Hack for fun' }
const regatta = { id: 7, title: '"><script>', summary: 'Six & more boats', poster: '/assets/ab/poster' }

test('describes a game by title, summary and poster, and escapes markup in them', () => {
  const settings = { ...harbour, origin: 'https://ctf.example.org', games: [{ ...regatta, id: 77, title: 'Other' }, regatta] }
  expect(renderIndexPage('%description%|<!--preview-->', settings, 'n', '/games/7/scoreboard')).toBe(
    [
      'Six &amp; more boats|',
      '<meta property="og:type" content="website" />',
      '<meta property="og:site_name" content="Harbour" />',
      '<meta property="og:title" content="&quot;&gt;&lt;script&gt;" />',
      '<meta property="og:description" content="Six &amp; more boats" />',
      '<meta property="og:url" content="https://ctf.example.org/games/7/scoreboard" />',
      '<meta property="og:image" content="https://ctf.example.org/assets/ab/poster" />',
      '<meta property="twitter:card" content="summary_large_image" />',
    ].join(''),
  )
})

test('omits absolute URLs if the public origin is unknown', () => {
  const page = renderIndexPage('<!--preview-->', { ...harbour, games: [regatta] }, 'n', '/games/7')
  expect(page).toContain('content="Six &amp; more boats"')
  expect(page).not.toMatch(/og:url|og:image|twitter:card/)
})

test.each(['/', '/games', '/games/8', '/games/70', '/games/07', '/admin/games/7/info'])(
  'the page at %s describes the platform, because no public game has this address',
  (pathname) => {
    const page = renderIndexPage('%description%|<!--preview-->', { ...harbour, games: [regatta] }, 'n', pathname)
    expect(page).toBe(
      [
        'Hack for fun|',
        '<meta property="og:type" content="website" />',
        '<meta property="og:site_name" content="Harbour" />',
        '<meta property="og:title" content="Harbour" />',
        '<meta property="og:description" content="Hack for fun" />',
      ].join(''),
    )
  },
)

test('escapes the path in the URL of the page', () => {
  const page = renderIndexPage('<!--preview-->', { ...harbour, origin: 'https://ctf.example.org' }, 'n', '/"><b>')
  expect(page).toContain('<meta property="og:url" content="https://ctf.example.org/&quot;&gt;&lt;b&gt;" />')
})
