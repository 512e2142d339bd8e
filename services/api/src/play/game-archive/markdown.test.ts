import { describe, expect, test } from 'vitest'
import { findHashesOfStoredFiles, renderMarkdown } from './markdown.ts'

const hash = 'a'.repeat(64)
function rendered(source: string): string {
  return renderMarkdown(source, (given) => (given === hash ? 'files/map.png' : undefined)).text.trim()
}

describe('Markdown in an archive', () => {
  test.each([
    ['**Find** it', '<p><strong>Find</strong> it</p>'],
    ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['a <img src=x onerror=alert(1)> b', '<p>a &lt;img src=x onerror=alert(1)&gt; b</p>'],
    ['[x](javascript:alert(1))', '<p>x</p>'],
    ['[x](data:text/html,1)', '<p>x</p>'],
    [
      '[x](https://example.org/?a=1&b="2")',
      '<p><a href="https://example.org/?a=1&amp;b=&quot;2&quot;" rel="noreferrer">x</a></p>',
    ],
    ['[x](/games/1)', '<p>x</p>'],
    [`[x](/assets/${hash}/map.png)`, '<p><a href="files/map.png" rel="noreferrer">x</a></p>'],
    [`![map](/assets/${hash}/map.png)`, '<p><img src="files/map.png" alt="map"></p>'],
    [`![map](/assets/${'b'.repeat(64)}/map.png)`, '<p>map</p>'],
    ['![spy](https://example.org/spy.png)', '<p><a href="https://example.org/spy.png" rel="noreferrer">spy</a></p>'],
    ['![<b>](x)', '<p>&lt;b&gt;</p>'],
  ])('renders %j as %j', (source, expected) => {
    expect(rendered(source)).toBe(expected)
  })

  test('Markdown with too many levels for the parser remains text', () => {
    expect(rendered(`${'>'.repeat(20_000)} deep`)).toContain('deep')
  })
})

test('finds the stored files to which a text refers', () => {
  expect(findHashesOfStoredFiles(`![a](/assets/${hash}/a.png) and /assets/short/b`)).toEqual([hash])
})
