import { expect, it } from 'vitest'
import { createLineCollector, toPlainLine } from './log-lines.ts'

function bytes(text: string) {
  return new TextEncoder().encode(text)
}

it.each([
  ['\u001b[31mred\u001b[0m', 'red'],
  ['\u001b[38;5;12mblue\u001b[K', 'blue'],
  ['\u001b]0;title\u0007text', 'text'],
  ['\u001b]8;;https://example.org\u001b\\link\u001b]8;;\u001b\\', 'link'],
  ['a\tb\r', 'a\tb'],
  ['50 %\u0008\u0007', '50 %'],
  ['<img src=x> 漢字', '<img src=x> 漢字'],
  ['cut \u001b[', 'cut '],
])('the log shows the output %j as the text %j', (line, shown) => {
  expect(toPlainLine(line)).toBe(shown)
})

it('the collector joins lines and characters that arrive in several pieces, and ignores the NUL bytes of a silent log', () => {
  const collector = createLineCollector(10)
  const [head, tail] = [bytes('flüss').slice(0, 3), bytes('flüss').slice(3)]
  for (const piece of [bytes('one\ntw'), bytes('\0'), bytes('o\n'), head, bytes('\0'), tail]) collector.add(piece)
  expect(collector.lines()).toEqual([
    { number: 1, text: 'one' },
    { number: 2, text: 'two' },
    { number: 3, text: 'flüss' },
  ])
})

it('the collector retains the last lines with their numbers', () => {
  const collector = createLineCollector(2)
  collector.add(bytes('one\ntwo\nthree\nfo'))
  expect(collector.lines()).toEqual([
    { number: 3, text: 'three' },
    { number: 4, text: 'fo' },
  ])
})
