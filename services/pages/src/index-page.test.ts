import type { ClientConfig } from '@capstan/contract/settings'
import { expect, test } from 'vitest'
import { contentSecurityPolicy, renderIndexPage } from './index-page.ts'

test('escapes title and description, and inserts the nonce everywhere', () => {
  const template = '<title>%title%</title><meta content="%description%"><script nonce="%nonce%"></script><link nonce="%nonce%">'
  expect(renderIndexPage(template, { title: `<b>&"'`, description: 'a "quoted" $& text' }, 'n0nce')).toBe(
    '<title>&lt;b&gt;&amp;&quot;&#39;</title><meta content="a &quot;quoted&quot; $&amp; text"><script nonce="n0nce"></script><link nonce="n0nce">',
  )
})

test('shows the repository of the deployment, or nothing if it has none', () => {
  const template = '<meta name="repository" content="%repository%">'
  const settings = { title: '', description: '', repository: 'https://git.example.org/a?b&c' }
  expect(renderIndexPage(template, settings, 'n')).toBe('<meta name="repository" content="https://git.example.org/a?b&amp;c">')
  expect(renderIndexPage(template, { title: '', description: '' }, 'n')).toBe('<meta name="repository" content="">')
})

test('does not fill in a text that looks like a placeholder', () => {
  expect(renderIndexPage('%title%|%description%', { title: '%nonce%', description: '' }, 'secret')).toBe('%nonce%|')
})

test('escapes the config within its attribute, and inserts null while it is unknown', () => {
  const config = { title: '"><script>' } as unknown as ClientConfig
  const settings = { title: '', description: '' }
  expect(renderIndexPage('<meta content="%config%">', { ...settings, config }, 'n')).toBe(
    '<meta content="{&quot;title&quot;:&quot;\\&quot;&gt;&lt;script&gt;&quot;}">',
  )
  expect(renderIndexPage('%config%', settings, 'n')).toBe('null')
})

test('allows only scripts with the nonce', () => {
  expect(contentSecurityPolicy('abc')).toContain("script-src 'self' 'nonce-abc' 'strict-dynamic'")
})
