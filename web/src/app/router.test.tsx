import { matchRoutes } from 'react-router'
import { expect, it } from 'vitest'
import { paths, toSafeReturnAddress } from '../lib/paths.ts'
import { routes } from './router.tsx'

/** Returns the path pattern of the route that matches an address. */
function leafOf(address: string) {
  return matchRoutes(routes, address)?.at(-1)?.route.path
}

it.each(Object.entries(paths))('finds the page for the address %s, regardless of case', (_, path) => {
  const build = path.to as (...args: unknown[]) => string
  const address = build(7, 9).split('?')[0]!
  expect(leafOf(address)).toBe(path.pattern)
  expect(leafOf(address.toUpperCase())).toBe(path.pattern)
})

it.each(['/nope', '/games/1/unknown', '/admin/nothing'])('the router shows the not-found page for %s', (address) => {
  expect(leafOf(address)).toBe('*')
})

it.each([
  ['/games/1', '/games/1'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['https://evil.example', '/'],
  [null, '/'],
])('the return address %s leads to %s after login', (from, target) => {
  expect(toSafeReturnAddress(from)).toBe(target)
})
