import { expect, test } from 'vitest'
import { findDialectFaults } from './find-faults.ts'

function linesOf(source: string) {
  return findDialectFaults('example.ts', source).map(({ line }) => line)
}

test('a type whose members are all readonly is a fault, even inside of another type', () => {
  expect(linesOf('type Pair = { readonly left: number; readonly right: number }')).toEqual([1])
  expect(linesOf('type Box = Readonly<{\n  pairs: readonly { readonly left: number; readonly right: number }[]\n}>')).toEqual([2])
})

test('a type with one readonly member, or with a member that may change, is accepted', () => {
  expect(linesOf('type One = { readonly only: number }')).toEqual([])
  expect(linesOf('type Mixed = { readonly fixed: number; changing: number }')).toEqual([])
  expect(linesOf('type Pair = Readonly<{ left: number; right: number }>')).toEqual([])
})

test('an arrow function without a type at the level of the module is a fault', () => {
  expect(linesOf('const one = 1\nexport const double = (value: number) => value * 2')).toEqual([2])
  expect(linesOf('const greet = async function () {}')).toEqual([1])
})

test('declarations, inner functions, typed functions and replaceable functions are accepted', () => {
  expect(linesOf('function outer() {\n  const inner = () => 1\n  return inner\n}')).toEqual([])
  expect(linesOf('export const plugin: Plugin = async (app) => app')).toEqual([])
  expect(linesOf('let read = () => 1')).toEqual([])
})
