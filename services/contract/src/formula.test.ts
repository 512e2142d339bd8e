import { describe, expect, test } from 'vitest'
import { blockFormulaAt, escapeFormulas, inlineFormulaAt, removeFormulaDelimiters } from './formula.ts'

/** Returns the inline formulas that the page recognizes. */
function formulasIn(text: string): string[] {
  const found: string[] = []
  for (let at = 0; at < text.length; at++) {
    const raw = text[at] === '$' ? inlineFormulaAt(text.slice(at), text[at - 1])?.raw : undefined
    if (!raw) continue
    found.push(raw)
    at += raw.length - 1
  }
  return found
}

test.each([
  'flag{$h3ll_$cr1pt}',
  'PATH=$HOME/bin:$PATH',
  '$_GET[x].$_POST[y]',
  '$USER@$HOST',
  '$100 or 100$',
  'It costs $5 and sells for 7$.',
  'echo $(id)$(whoami)',
  '$\u007ba}$\u007bb}',
  '$argon2id$v=19$m=65536$abc',
  'a$b$c',
  'x=$y$;',
  '$ ls $',
  '$$ and $$',
  'jQuery: $.ajax(), $x',
])('%s contains no formula', (text) => {
  expect(formulasIn(text)).toEqual([])
})

test.each([
  ['$x$', ['$x$']],
  ['for $n = pq$, find $p$.', ['$n = pq$', '$p$']],
  ['($e$) and "$d$"', ['$e$', '$d$']],
  ['$a \\$ b$', ['$a \\$ b$']],
  ['$\\text{two words}$', ['$\\text{two words}$']],
  ['$a b c$', ['$a b c$']],
  ['「$x^2$」', ['$x^2$']],
])('%s contains formulas', (text, formulas) => {
  expect(formulasIn(text)).toEqual(formulas)
})

test('a block formula starts and ends with two dollar signs, and prose between them is no formula', () => {
  expect(blockFormulaAt('$$\nE = mc^2\n$$\nnext')?.raw).toBe('$$\nE = mc^2\n$$\n')
  expect(blockFormulaAt('$$ is the process id of the shell $$')).toBeUndefined()
  expect([removeFormulaDelimiters('$$\nx\n$$\n'), removeFormulaDelimiters('$x$')]).toEqual(['x', 'x'])
})

describe('a text from a platform that does not support formulas', () => {
  test.each([
    ['use $x$ here', 'use \\$x$ here'],
    ['$$x = 1$$', '\\$$x = 1$$'],
    ['flag{$a$} and $HOME', 'flag{$a$} and $HOME'],
    ['`$x$` and $y$', '`$x$` and \\$y$'],
    ['```\n$x$\n```\n$y$', '```\n$x$\n```\n\\$y$'],
    ['no dollar', 'no dollar'],
  ])('the text %j becomes %j, so that its dollar signs do not begin a formula', (text, escaped) => {
    expect(escapeFormulas(text)).toBe(escaped)
    expect(escapeFormulas(escaped)).toBe(escaped)
  })
})
