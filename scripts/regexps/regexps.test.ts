import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { afterAll, expect, test } from 'vitest'
import { checkExpression } from './check-expression.ts'
import { findExpressions } from './expressions.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'capstan-regexps-'))
afterAll(() => rmSync(folder, { recursive: true }))

function sourcesIn(text: string, schemas = false) {
  return findExpressions('example.tsx', text, { schemas }).expressions.map(
    ({ source, flags, line }) => `${line} /${source}/${flags}`,
  )
}

test('`findExpressions` returns every regular expression literal of a file', () => {
  expect(sourcesIn("const a = /x+/g\nexport const View = () => <p title={/y/iu.source}>{'z'.replace(/z$/, '')}</p>")).toEqual([
    '1 /x+/g',
    '2 /y/iu',
    '2 /z$/',
  ])
})

test('the search collects RegExp calls with a literal text, and reports RegExp calls with any other argument', () => {
  const text = "new RegExp('a|b')\nRegExp('c', 'g')\nnew RegExp(name)\nnew RegExp('d', flags)\nnew RegExp(e + 'f')"
  expect(sourcesIn(text)).toEqual(['1 /a|b/', '2 /c/g'])
  expect(findExpressions('example.ts', text, { schemas: false }).madeLater).toEqual([3, 4, 5])
})

test('`findExpressions` returns the `pattern` of a JSON schema only if `schemas` is true', () => {
  const text = "Type.String({ pattern: '^[0-9]+$' })"
  expect([sourcesIn(text, true), sourcesIn(text)]).toEqual([['1 /^[0-9]+$/u'], []])
})

test.each([
  ['^[0-9]+$', '', undefined],
  ['^$|^\\+?[0-9 ]*[0-9][0-9 ]*$', '', 'takes more than linear time'],
  ['^(a+)+$', '', 'takes exponential time'],
  ['\\s*\\n\\s*', 'g', 'takes more than linear time'],
])('the check of /%s/%s returns %j', (source, flags, fault) => {
  expect(checkExpression(source, flags)).toBe(fault)
})

test('the check of regular expressions fails for a slow expression and reports its place', () => {
  const check = (file: string) =>
    spawnSync(process.execPath, [path.join(import.meta.dirname, '..', 'check-regexps.ts'), file], { encoding: 'utf8' })
  const slow = path.join(folder, 'slow.ts')
  writeFileSync(slow, 'export const name = /^[a-z]+$/\nexport const phone = /^([0-9]+ ?)+$/\n')
  const fine = path.join(folder, 'fine.ts')
  writeFileSync(fine, 'export const name = /^[a-z]+$/\n')
  const [failed, passed] = [check(slow), check(fine)]
  expect([failed.status, passed.status]).toEqual([1, 0])
  expect(failed.stderr).toContain('slow.ts:2: /^([0-9]+ ?)+$/ takes exponential time')
})
