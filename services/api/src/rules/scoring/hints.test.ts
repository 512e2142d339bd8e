import type { PricedHint } from '@capstan/contract/hints'
import { describe, expect, test } from 'vitest'
import { hintsVisibleToTeam, listStoredHints, matchStoredHints, refusePurchase, type StoredHint, toHintColumns } from './hints.ts'

function free(text: string): StoredHint {
  return { text, price: 0 }
}
function paid(text: string, price: number, id: string): StoredHint {
  return { text, price, id }
}
function noIds(): never {
  throw new Error('No hint needs a new id')
}

describe('columns of hints', () => {
  const hints = [paid('first', 5, 'A'), free('second'), paid('third', 0, 'C'), free('fourth')]
  const columns = {
    hints: ['second', 'fourth'],
    pricedHints: [
      { id: 'A', text: 'first', price: 5, place: 0 },
      { id: 'C', text: 'third', price: 0, place: 2 },
    ],
  }

  test('columns store hints with a price separately from free hints, and retain the order', () => {
    expect(toHintColumns(hints, noIds)).toEqual(columns)
    expect(listStoredHints(columns)).toEqual(hints)
  })

  test('a hint gets an id together with the first price', () => {
    expect(toHintColumns([free('one'), { text: 'two', price: 7 }], () => 'new')).toEqual({
      hints: ['one'],
      pricedHints: [{ id: 'new', text: 'two', price: 7, place: 1 }],
    })
  })

  test('a priced hint is listed last if its place number is too large', () => {
    const pricedHints: PricedHint[] = [{ id: 'B', text: 'last', price: 1, place: 9 }]
    expect(listStoredHints({ hints: ['only'], pricedHints })).toEqual([free('only'), paid('last', 1, 'B')])
  })
})

describe('hints in a request', () => {
  const stored = [paid('one', 10, 'A'), free('two'), paid('three', 30, 'C')]
  test.each<[string, Parameters<typeof matchStoredHints>[0], StoredHint[]]>([
    ['of an earlier client retain the price of an equal text', ['three', 'two'], [paid('three', 30, 'C'), free('two')]],
    ['of an earlier client retain the price at the same place', ['ONE', 'two'], [paid('ONE', 10, 'A'), free('two')]],
    ['of an earlier client are free at a new place', ['one', 'two', 'three', 'four'], [...stored, free('four')]],
    ['retain the id with another text', [{ text: 'ONE', price: 10 }], [paid('ONE', 10, 'A')]],
    ['retain the id with another price', [{ text: 'one', price: 0 }], [paid('one', 0, 'A')]],
    ['are matched by text before position', [{ text: 'three', price: 30 }, 'new'], [paid('three', 30, 'C'), free('new')]],
    ['give the id only to the first of two equal texts', ['one', 'one'], [paid('one', 10, 'A'), free('one')]],
    ['may be an empty list', [], []],
  ])('%s', (_what, written, expected) => {
    expect(matchStoredHints(written, stored)).toEqual(expected)
  })
})

describe('hints of a team', () => {
  const hints = [paid('one', 10, 'A'), free('two'), paid('three', 30, 'C'), paid('four', 0, 'D')]
  test('a team sees the texts of free and bought hints, and only the prices of other hints', () => {
    expect(hintsVisibleToTeam(hints, new Set(['C']), true)).toEqual({
      texts: ['two', 'three', 'four'],
      offers: [{ id: 'A', price: 10 }],
    })
  })
  test('after the end of the game, a team sees the texts of all hints', () => {
    expect(hintsVisibleToTeam(hints, new Set(), false)).toEqual({ texts: ['one', 'two', 'three', 'four'], offers: [] })
  })
})

test.each([
  [50, { accepted: 49, allowsDebt: true, score: 100 }, 'hint.price'],
  [50, { accepted: 50, allowsDebt: false, score: 50 }, undefined],
  [50, { accepted: 60, allowsDebt: false, score: 49 }, 'hint.points'],
  [50, { accepted: 50, allowsDebt: true, score: -10 }, undefined],
])('for the price %i and the purchase %j, refusePurchase returns %s', (price, facts, refusal) => {
  expect(refusePurchase(price, facts)).toBe(refusal)
})
