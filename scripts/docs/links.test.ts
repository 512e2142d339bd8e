import { describe, expect, test } from 'vitest'
import { anchorsOf, linksOf, listDocumentReferences } from './links.ts'

describe('anchors', () => {
  test('an anchor contains the heading in lowercase, with hyphens for blanks and without punctuation', () => {
    expect(anchorsOf("# The admins' list\n\ntext\n\n### `GET` & more\n")).toEqual(new Set(['the-admins-list', 'get--more']))
  })

  test('an anchor gets a number if two headings of a document are equal', () => {
    expect(anchorsOf('## Names\n## Names\n## Names')).toEqual(new Set(['names', 'names-1', 'names-2']))
  })

  test('headings in code blocks have no anchors', () => {
    expect(anchorsOf('```sh\n# a comment\n```\n')).toEqual(new Set())
  })
})

test('the check of documents finds relative links with file, anchor and line, and ignores web addresses', () => {
  expect(linksOf('[a](teams.md#locks)\n[b](https://example.org) ![c](images/c.png)\n[d](#here)')).toEqual([
    { file: 'teams.md', anchor: 'locks', line: 1 },
    { file: 'images/c.png', anchor: undefined, line: 2 },
    { file: '', anchor: 'here', line: 3 },
  ])
})

test('the check of documents finds paths of documents in code', () => {
  expect(listDocumentReferences('// one\n/** Rules: docs/contract/teams.md#locks. See docs/captures.md. */')).toEqual([
    { file: 'docs/contract/teams.md', anchor: 'locks', line: 2 },
    { file: 'docs/captures.md', anchor: undefined, line: 2 },
  ])
})
