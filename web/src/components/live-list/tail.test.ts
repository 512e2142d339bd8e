import { describe, expect, it } from 'vitest'
import { addUniqueKeysToEntries, countNewEntries, createSearchPredicate, mergeReadAndPushedEntries } from './tail.ts'

type Entry = Readonly<{
  at: number
  text: string
  state?: string
}>

const rules = { keyOf: ({ at, text }: Entry) => `${at} ${text}`, timeOf: ({ at }: Entry) => at }
function merged(read: readonly Entry[], pushed: readonly Entry[], pageSize = 4) {
  return mergeReadAndPushedEntries({ read, pushed, pageSize, ...rules }).map(({ at, text, state }) =>
    [at, text, state].filter(Boolean).join(' '),
  )
}

describe('the first page of a live list', () => {
  it('the page shows a pushed entry before a read returns it', () => {
    expect(merged([{ at: 1, text: 'a' }], [{ at: 2, text: 'b' }])).toEqual(['2 b', '1 a'])
  })

  it('the page shows an entry only once if the server both pushed and returned it', () => {
    const entry = { at: 2, text: 'b' }
    expect(merged([entry, { at: 1, text: 'a' }], [entry])).toEqual(['2 b', '1 a'])
  })

  it('the page shows two entries for two equal events at the same time', () => {
    const twin = { at: 2, text: 'b' }
    expect(merged([twin, twin], [twin])).toEqual(['2 b', '2 b'])
  })

  it('the page shows the pushed copy of an entry, even if the server also returned an older copy', () => {
    const read = [{ at: 2, text: 'b', state: 'waiting' }]
    expect(merged(read, [{ at: 2, text: 'b', state: 'judged' }])).toEqual(['2 b judged'])
  })

  it('the page sorts entries that arrive late by their time', () => {
    const read = [
      { at: 5, text: 'e' },
      { at: 1, text: 'a' },
    ]
    expect(merged(read, [{ at: 3, text: 'c' }])).toEqual(['5 e', '3 c', '1 a'])
  })

  it('a full page omits a pushed entry that belongs to the next page', () => {
    const read = [
      { at: 5, text: 'e' },
      { at: 4, text: 'd' },
    ]
    expect(merged(read, [{ at: 3, text: 'c' }], 2)).toEqual(['5 e', '4 d'])
  })

  it('a page never exceeds the page size', () => {
    const read = [
      { at: 5, text: 'e' },
      { at: 4, text: 'd' },
    ]
    expect(merged(read, [{ at: 6, text: 'f' }], 2)).toEqual(['6 f', '5 e'])
  })
})

describe('counting entries that arrive during a pause', () => {
  it('the count includes only entries that are not shown yet', () => {
    const shown = [{ at: 1, text: 'a' }]
    expect(countNewEntries([{ at: 3, text: 'c' }, { at: 2, text: 'b' }, ...shown], shown, rules.keyOf)).toBe(2)
  })
})

describe('React keys for the entries of a live list', () => {
  it('equal entries have different keys, which do not change when a new entry arrives', () => {
    const twin = { at: 1, text: 'a' }
    const before = addUniqueKeysToEntries([twin, twin], rules.keyOf).map(({ key }) => key)
    const after = addUniqueKeysToEntries([{ at: 2, text: 'b' }, twin, twin], rules.keyOf).map(({ key }) => key)
    expect(new Set(after).size).toBe(3)
    expect(after.slice(1)).toEqual(before)
  })
})

describe('the filter of a list', () => {
  const finds = createSearchPredicate<Entry>('RED  leak', ({ text, state }) => [text, state ?? null])
  it('the filter finds entries whose fields contain all words, regardless of case', () => {
    expect(finds({ at: 1, text: 'Leaky pipe', state: 'red' })).toBe(true)
    expect(finds({ at: 1, text: 'Leaky pipe' })).toBe(false)
  })
})
