import { describe, expect, it } from 'vitest'
import { isConnectionShown } from './connection-shown.ts'

describe('the connection in the status strip', () => {
  it('the connection is shown before and during a game', () => {
    expect(isConnectionShown('running', 'live')).toBe(true)
    expect(isConnectionShown('upcoming', 'polling')).toBe(true)
  })

  it('the connection is shown after the end of a game only if it is faulty', () => {
    expect(isConnectionShown('ended', 'live')).toBe(false)
    expect(isConnectionShown('ended', 'polling')).toBe(false)
    expect(isConnectionShown('ended', 'offline')).toBe(true)
    expect(isConnectionShown('ended', 'reconnecting')).toBe(true)
  })
})
