import { expect, test } from 'vitest'
import { getLinkOrigin } from './request-origin.ts'

test('links have the configured origin, or by default the origin of the request', () => {
  const request = { protocol: 'http', host: 'ctf.example.org:80' } as const
  expect(getLinkOrigin('https://ctf.example.org/', request)).toBe('https://ctf.example.org')
  expect(getLinkOrigin(undefined, request)).toBe('http://ctf.example.org')
})

test.each(['', 'a b', '[', 'x:99999'])('the Host header %j is refused', (host) => {
  expect(() => getLinkOrigin(undefined, { protocol: 'http', host })).toThrow(expect.objectContaining({ code: 'request.invalid' }))
})
