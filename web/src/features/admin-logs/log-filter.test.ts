import type { LogEntry } from '@capstan/contract/admin'
import { describe, expect, it } from 'vitest'
import { searchPredicate } from '../../components/live-list/tail.ts'
import { isOfLevel, logKey, logText } from './log-filter.ts'

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
    expect(['All', 'Information', 'Warning', 'Error', 'Fatal'].filter((level) => isOfLevel(entry, level as 'All'))).toEqual([
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
    expect(searchPredicate(typed, logText)(entry)).toBe(isFound)
  })

  it('a pushed entry and the same entry in a response have equal keys', () => {
    expect(logKey({ ...entry, time: '2026-05-01T12:00:00Z' })).toBe(logKey(entry))
    expect(logKey({ ...entry, msg: 'Other' })).not.toBe(logKey(entry))
  })
})
