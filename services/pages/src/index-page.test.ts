import type { ClientConfig } from '@capstan/contract/settings'
import { expect, test } from 'vitest'
import { contentSecurityPolicy, renderIndexPage } from './index-page.ts'

test('title and description are escaped, the nonce is put in wherever it stands', () => {
  const template = '<title>%title%</title><meta content="%description%"><script nonce="%nonce%"></script><link nonce="%nonce%">'
  expect(renderIndexPage(template, { title: `<b>&"'`, description: 'a "quoted" $& text' }, 'n0nce')).toBe(
    '<title>&lt;b&gt;&amp;&quot;&#39;</title><meta content="a &quot;quoted&quot; $&amp; text"><script nonce="n0nce"></script><link nonce="n0nce">',
  )
})

test('the repository of the deployment is told, and nothing where it names none', () => {
  const template = '<meta name="repository" content="%repository%">'
  const settings = { title: '', description: '', repository: 'https://git.example.org/a?b&c' }
  expect(renderIndexPage(template, settings, 'n')).toBe('<meta name="repository" content="https://git.example.org/a?b&amp;c">')
  expect(renderIndexPage(template, { title: '', description: '' }, 'n')).toBe('<meta name="repository" content="">')
})

test('a text that looks like a placeholder is not filled in twice', () => {
  expect(renderIndexPage('%title%|%description%', { title: '%nonce%', description: '' }, 'secret')).toBe('%nonce%|')
})

test('the config cannot leave its attribute, and is null while it is not known', () => {
  const config = { title: '"><script>' } as unknown as ClientConfig
  const settings = { title: '', description: '' }
  expect(renderIndexPage('<meta content="%config%">', { ...settings, config }, 'n')).toBe(
    '<meta content="{&quot;title&quot;:&quot;\\&quot;&gt;&lt;script&gt;&quot;}">',
  )
  expect(renderIndexPage('%config%', settings, 'n')).toBe('null')
})

test('scripts run with the nonce only', () => {
  expect(contentSecurityPolicy('abc')).toContain("script-src 'self' 'nonce-abc' 'strict-dynamic'")
})
