import { expect, test } from 'vitest'
import { requestOrigin } from './request-origin.ts'

test('links have the configured origin, or by default the origin of the request', () => {
  const request = { protocol: 'http', host: 'ctf.example.org:80' } as const
  expect(requestOrigin('https://ctf.example.org/', request)).toBe('https://ctf.example.org')
  expect(requestOrigin(undefined, request)).toBe('http://ctf.example.org')
})

test.each(['', 'a b', '[', 'x:99999'])('the Host header %j is refused', (host) => {
  expect(() => requestOrigin(undefined, { protocol: 'http', host })).toThrow(expect.objectContaining({ code: 'request.invalid' }))
})
