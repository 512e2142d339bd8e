import type { LogEntry } from '@capstan/contract/admin'
import { describe, expect, it } from 'vitest'
import { createSearchPredicate } from '../../components/live-list/tail.ts'
import { hasLogLevel, keyOfLogEntry, searchTextOfLogEntry } from './log-filter.ts'

const entry: LogEntry = {
  time: '2026-05-01T12:00:00.000Z',
  name: 'mira',
  level: 'Warning',
  ip: '10.0.0.7',
  msg: 'Wrong password',
  status: 'Denied',
}

describe('the filter of the log', () => {
  it('the log filter shows only entries of the selected level', () => {
    expect(['All', 'Information', 'Warning', 'Error', 'Fatal'].filter((level) => hasLogLevel(entry, level as 'All'))).toEqual([
      'All',
      'Warning',
    ])
  })

  it.each([
    ['wrong mira', true],
    ['10.0.0.7 denied', true],
    ['warning', false],
    ['mira accepted', false],
  ])('the log filter searches message, user, address and result for %j', (typed, isFound) => {
    expect(createSearchPredicate(typed, searchTextOfLogEntry)(entry)).toBe(isFound)
  })

  it('a pushed entry and the same entry in a response have equal keys', () => {
    expect(keyOfLogEntry({ ...entry, time: '2026-05-01T12:00:00Z' })).toBe(keyOfLogEntry(entry))
    expect(keyOfLogEntry({ ...entry, msg: 'Other' })).not.toBe(keyOfLogEntry(entry))
  })
})
