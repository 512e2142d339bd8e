import { expect, test } from 'vitest'
import { isOwnOrigin } from './origin.ts'

test.each([
  [undefined, undefined, true],
  ['http://ctf.example.org', undefined, true],
  ['https://ctf.example.org', undefined, true],
  ['https://CTF.example.org', undefined, true],
  ['https://ctf.example.org:444', undefined, false],
  ['http://ctf.example.org:30001', undefined, false],
  ['https://instance.ctf.example.org', undefined, false],
  ['https://evil.net', undefined, false],
  ['null', undefined, false],
  ['https://play.example.org', 'https://play.example.org/', true],
  ['https://play.example.org:8443', 'https://play.example.org', false],
  ['http://play.example.org', 'https://play.example.org', false],
  ['https://play.example.org.evil.net', 'https://play.example.org', false],
])('checks the origin %s against the public origin %s: %s', (origin, publicOrigin, expected) => {
  expect(isOwnOrigin(origin, { protocol: 'http', host: 'ctf.example.org' }, publicOrigin)).toBe(expected)
})

test.each([
  ['https://ctf.example.org', 'ctf.example.org:443', 'https', true],
  ['http://ctf.example.org', 'ctf.example.org:80', 'http', true],
  ['http://ctf.example.org', 'ctf.example.org', 'https', false],
  ['http://localhost:8080', 'localhost:8080', 'http', true],
  ['http://localhost:8081', 'localhost:8080', 'http', false],
  ['http://localhost', 'localhost:8080', 'http', false],
  ['https://ctf.example.org', 'a b', 'http', false],
])('checks the origin %s against the host %s over %s: %s', (origin, host, protocol, expected) => {
  expect(isOwnOrigin(origin, { protocol, host }, undefined)).toBe(expected)
})
