import type { GameNotice } from '@capstan/contract/games'
import { beforeEach, describe, expect, it } from 'vitest'
import { listUnreadNotices, useReadNotices } from './read-notices.ts'

const key = 'read-notices'
function state() {
  return useReadNotices.getState()
}
function notice(id: number, type: GameNotice['type']): GameNotice {
  return { id, type, time: '2026-03-01T10:00:00Z', values: ['x'] }
}

/** Simulates a write by another browser tab. */
function writeElsewhere(ids: Record<string, number[]>, storageKey = key) {
  localStorage.setItem(key, JSON.stringify({ state: { ids }, version: 0 }))
  dispatchEvent(new StorageEvent('storage', { key: storageKey }))
}

beforeEach(() => {
  localStorage.clear()
  useReadNotices.setState({ ids: {} })
})

describe('the stored ids of a user', () => {
  it('the stored ids are separate for each user', () => {
    state().add('mira', [4])
    state().add('noor', [5, 6])
    state().add('mira', [7, 4])
    expect(state().ids).toEqual({ mira: [7, 4], noor: [5, 6] })
    expect(JSON.parse(localStorage.getItem(key) ?? '')).toMatchObject({ state: { ids: { mira: [7, 4], noor: [5, 6] } } })
  })

  it('the stored ids are updated if another tab writes them', () => {
    writeElsewhere({ mira: [9] })
    expect(state().ids).toEqual({ mira: [9] })
  })

  it('the stored ids do not change if another tab writes to a different store', () => {
    writeElsewhere({ mira: [9] }, 'theme')
    expect(state().ids).toEqual({})
  })

  it('a write retains ids that another tab has just written', () => {
    localStorage.setItem(key, JSON.stringify({ state: { ids: { mira: [9] } }, version: 0 }))
    state().add('mira', [10])
    expect(state().ids).toEqual({ mira: [9, 10] })
  })

  it('the stored ids are limited in number, and the oldest are dropped first', () => {
    state().add(
      'mira',
      Array.from({ length: 1001 }, (_, index) => index + 1),
    )
    expect(state().ids.mira).toHaveLength(1000)
    expect(state().ids.mira?.[0]).toBe(2)
  })
})

it('only announcements count as unread', () => {
  const notices = [notice(1, 'Normal'), notice(2, 'FirstBlood'), notice(3, 'NewHint'), notice(4, 'Normal')]
  expect(listUnreadNotices(notices, [4]).map(({ id }) => id)).toEqual([1])
})
