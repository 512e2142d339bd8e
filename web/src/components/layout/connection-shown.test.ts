import { describe, expect, it } from 'vitest'
import { isConnectionShown } from './connection-shown.ts'

describe('the connection in the status strip', () => {
  it('is told while the game goes on, and before', () => {
    expect(isConnectionShown('running', 'live')).toBe(true)
    expect(isConnectionShown('upcoming', 'polling')).toBe(true)
  })

  it('is not called live beside a game that has ended; what is wrong is still told', () => {
    expect(isConnectionShown('ended', 'live')).toBe(false)
    expect(isConnectionShown('ended', 'polling')).toBe(false)
    expect(isConnectionShown('ended', 'offline')).toBe(true)
    expect(isConnectionShown('ended', 'reconnecting')).toBe(true)
  })
})
