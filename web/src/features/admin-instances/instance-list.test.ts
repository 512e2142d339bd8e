import type { ContainerInstance, InstanceUsage } from '@capstan/contract/admin'
import { describe, expect, it } from 'vitest'
import { filterInstances, listSortKeys, toAddressText } from './instance-list.ts'

function at(minute: number) {
  return new Date(Date.UTC(2026, 4, 1, 12, minute)).toISOString()
}

function instance(name: string, startMinute: number, endMinute: number): ContainerInstance {
  return {
    team: { id: 1, name: `Team ${name}`, avatar: null },
    challenge: { id: 2, title: `Task ${name}`, category: 'Web' },
    image: `registry/${name}:1`,
    containerGuid: `guid-${name}`,
    containerId: `pod-${name}`,
    startedAt: at(startMinute),
    expectStopAt: at(endMinute),
    ip: '10.0.0.1',
    port: 30000,
  }
}

function usage(name: string, cpuMillicores: number, memoryBytes: number): [string, InstanceUsage] {
  return [`guid-${name}`, { id: `guid-${name}`, cpuMillicores, cpuLimitMillicores: 500, memoryBytes, memoryLimitBytes: 1000 }]
}

const all = [instance('b', 1, 50), instance('a', 0, 59), instance('c', 2, 40)]
function shown(patch: Partial<Parameters<typeof filterInstances>[1]>) {
  return filterInstances(all, {
    text: '',
    view: 'all',
    sort: 'age',
    descending: true,
    endingMinutes: 10,
    now: Date.parse(at(40)),
    states: new Map([['guid-a', { id: 'guid-a', state: 'Failing', message: 'It stopped.', reason: null }]]),
    usages: new Map([usage('c', 20, 700), usage('b', 400, 30)]),
    ...patch,
  }).map(({ containerGuid }) => containerGuid.slice(-1))
}

describe('the list of instances', () => {
  it('the list sorts instances by start or end', () => {
    expect(shown({})).toEqual(['a', 'b', 'c'])
    expect(shown({ descending: false })).toEqual(['c', 'b', 'a'])
    expect(shown({ sort: 'left', descending: false })).toEqual(['c', 'b', 'a'])
    expect(shown({ sort: 'left' })).toEqual(['a', 'b', 'c'])
  })

  it('the list sorts instances by usage, with unmeasured instances last in both directions', () => {
    expect(shown({ sort: 'cpu' })).toEqual(['b', 'c', 'a'])
    expect(shown({ sort: 'memory' })).toEqual(['c', 'b', 'a'])
    expect(shown({ sort: 'memory', descending: false })).toEqual(['b', 'c', 'a'])
    expect(listSortKeys(true)).toContain('cpu')
    expect(listSortKeys(false)).not.toContain('cpu')
  })

  it('the list sorts instances by name and by severity of the state', () => {
    expect(shown({ sort: 'challenge' })).toEqual(['c', 'b', 'a'])
    expect(shown({ sort: 'team', descending: false })).toEqual(['a', 'b', 'c'])
    const states = new Map(
      (['Running', 'Failing'] as const).map((state, index) => [
        `guid-${'bc'[index]}`,
        { id: '', state, message: null, reason: null },
      ]),
    )
    expect(shown({ sort: 'state', states })).toEqual(['c', 'b', 'a'])
    expect(shown({ sort: 'state', states, descending: false })).toEqual(['b', 'c', 'a'])
    // Instances with equal values are sorted oldest first.
    expect(shown({ sort: 'address' })).toEqual(['a', 'b', 'c'])
  })

  it('the filter finds instances that end soon, including overdue ones', () => {
    expect(shown({ view: 'ending' })).toEqual(['b', 'c'])
  })

  it('the filter finds failing instances', () => {
    expect(shown({ view: 'failing' })).toEqual(['a'])
    expect(shown({ view: 'starting' })).toEqual([])
  })

  it('the search finds instances that contain all words in team, challenge, image, address or name', () => {
    expect(shown({ text: 'TEAM b registry/b' })).toEqual(['b'])
    expect(shown({ text: '10.0.0.1:30000' })).toEqual(['a', 'b', 'c'])
    expect(shown({ text: 'pod-c' })).toEqual(['c'])
    expect(shown({ text: 'registry/b pod-c' })).toEqual([])
  })

  it('the list shows IPv6 addresses in brackets', () => {
    expect(toAddressText({ ip: 'fd00::7', port: 80 })).toBe('[fd00::7]:80')
    expect(toAddressText({ ip: 'play.example', port: 80 })).toBe('play.example:80')
  })
})
