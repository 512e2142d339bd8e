import { describe, expect, it } from 'vitest'
import { isOwnOrigin } from './origin.ts'

describe('origins that a hub accepts', () => {
  it.each<[string, string | undefined, string | undefined, string | undefined]>([
    ['programs, which send no origin', undefined, 'ctf.example', undefined],
    ['a page of the requested host', 'https://ctf.example', 'ctf.example', undefined],
    ['the same host in another case', 'https://CTF.example', 'ctf.EXAMPLE', undefined],
    ['the same host with its default port', 'https://ctf.example', 'ctf.example:443', undefined],
    ['the same port', 'http://localhost:8080', 'localhost:8080', undefined],
    ['the public origin if a proxy changed the host', 'https://ctf.example', 'gateway:8080', 'https://ctf.example'],
    ['a page over TLS that ends in front of us', 'https://ctf.example', 'ctf.example', 'https://other.example'],
  ])('a hub accepts %s', (_name, origin, host, publicOrigin) => {
    expect(isOwnOrigin(origin, host, publicOrigin)).toBe(true)
  })
})

describe('origins that a hub refuses', () => {
  it.each<[string, string, string | undefined, string | undefined]>([
    ['another host', 'https://evil.example', 'ctf.example', undefined],
    ['a host that begins like ours', 'https://ctf.example.evil.example', 'ctf.example', undefined],
    ['another port', 'http://localhost:8081', 'localhost:8080', undefined],
    ['a page with an opaque origin', 'null', 'ctf.example', undefined],
    ['a malformed origin', 'not an origin', 'ctf.example', undefined],
    ['a page if the Host header is missing', 'https://ctf.example', undefined, undefined],
    ['an invalid Host header', 'https://ctf.example', 'a b', undefined],
  ])('a hub refuses %s', (_name, origin, host, publicOrigin) => {
    expect(isOwnOrigin(origin, host, publicOrigin)).toBe(false)
  })
})
