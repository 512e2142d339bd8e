import { expect, test } from 'vitest'
import { isSameSiteAsPlatform } from './site.ts'

test.each([
  ['ctf.example.org', 'play.example.org', true],
  ['ctf.example.org', 'example.org', true],
  ['ctf.example.org', 'deep.play.ctf.example.org', true],
  ['CTF.example.ORG', 'play.example.org', true],
  ['ctf.example.org', 'ctf-play.org', false],
  ['ctf.example.org', 'notexample.org', false],
  ['ctf.example.co.uk', 'play.other.co.uk', false],
  ['ctf.example.co.uk', 'play.example.co.uk', true],
  // Domains with private suffixes. Each name directly below such a suffix has another owner.
  ['ctf.github.io', 'play.github.io', false],
  ['ctf.example.github.io', 'play.example.github.io', true],
  // The domain is itself a suffix, so every instance is a separate site.
  ['ctf.example.org', 'github.io', false],
  // Hosts of `npm start`, and hosts of a local network without a public suffix.
  ['localhost', 'localhost', false],
  ['127.0.0.1', 'localhost', false],
  ['[::1]', 'localhost', false],
  ['ctf.lan', 'play.lan', false],
  ['ctf.event.lan', 'play.event.lan', true],
])('returns whether the platform %s and instances below %s share a site: %s', (host, domain, isShared) => {
  expect(isSameSiteAsPlatform(host, domain)).toBe(isShared)
})
