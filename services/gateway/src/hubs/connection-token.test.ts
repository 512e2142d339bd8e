import { describe, expect, it } from 'vitest'
import { createConnectionTokens } from './connection-token.ts'

const tokens = createConnectionTokens('a secret', 1_000)
const now = 1_800_000_000_000

describe('a connection token', () => {
  it('a connection token is valid until it expires', () => {
    const token = tokens.issue('user', now)
    expect(tokens.isValid(token, 'user', now)).toBe(true)
    expect(tokens.isValid(token, 'user', now + 999)).toBe(true)
    expect(tokens.isValid(token, 'user', now + 1_000)).toBe(false)
  })

  it('a connection token is valid only on replicas with the same secret', () => {
    const token = tokens.issue('user', now)
    expect(createConnectionTokens('a secret', 5).isValid(token, 'user', now)).toBe(true)
    expect(createConnectionTokens('another secret', 1_000).isValid(token, 'user', now)).toBe(false)
  })

  it('a connection token is valid only for its hub', () => {
    expect(tokens.isValid(tokens.issue('user', now), 'admin', now)).toBe(false)
  })

  it('a connection token differs from another token for the same user and time', () => {
    expect(tokens.issue('user', now)).not.toBe(tokens.issue('user', now))
  })

  it('a connection token needs no escaping in a URL', () => {
    expect(tokens.issue('user', now)).toMatch(/^[A-Za-z0-9_-]+$/)
  })

  it('a connection token is rejected if any of its bytes is changed', () => {
    const bytes = Buffer.from(tokens.issue('user', now), 'base64url')
    for (let index = 0; index < bytes.length; index += 1) {
      const changed = Buffer.from(bytes)
      changed[index] = (changed[index] ?? 0) ^ 1
      expect(tokens.isValid(changed.toString('base64url'), 'user', now)).toBe(false)
    }
  })

  it.each(['', 'x', '%', 'a'.repeat(72), 'a'.repeat(10_000)])('a connection token is invalid if it is "%s"', (token) => {
    expect(tokens.isValid(token, 'user', now)).toBe(false)
  })
})
