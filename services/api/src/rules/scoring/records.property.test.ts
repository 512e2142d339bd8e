import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countRandomCases } from '../../testing/full-run.ts'
import { buildScoreboard, type ScoreboardFacts } from './ranking.ts'
import { boardFactsBeforeInstant, type ScoreRecord } from './records.ts'
import { instantAt } from './testing/facts.ts'
import { histories, instantOf, minutes, shortHistories } from './testing/histories.ts'
import { buildNaiveScoreboard } from './testing/naive-scoreboard.ts'
import { someNames } from './testing/records.ts'

const runs = countRandomCases({ short: 300, full: 100_000 })

/** Most histories are short, because short histories find more faults in the same time. */
const anyHistory = fc.oneof({ weight: 49, arbitrary: shortHistories }, { weight: 1, arbitrary: histories })

const updatedAt = instantAt('13:00')

/** Moves records to random places, so that only records with the same key retain their order. */
function shuffled(records: readonly ScoreRecord[], seed: number): ScoreRecord[] {
  const queues = Map.groupBy(records, ({ kind, key }) => `${kind} ${key}`)
  const rows = records.map(({ kind, key }, index) => ({ row: `${kind} ${key}`, place: Math.imul(seed ^ index, 0x9e3779b1) }))
  return rows.toSorted((left, right) => left.place - right.place).map(({ row }) => queues.get(row)!.shift()!)
}

type Values = { [Kind in ScoreRecord['kind']]: NonNullable<Extract<ScoreRecord, { kind: Kind }>['value']> }
type Found<Value> = Readonly<{
  /** Ids that form the key of the record. */
  ids: readonly number[]
  value: Value
}>

/** Second implementation of `boardFactsBeforeInstant`. For each row, it finds the last record before the instant. */
function naiveFacts(records: readonly ScoreRecord[], instant: number): Omit<ScoreboardFacts, 'updatedAt'> | undefined {
  const find = <Kind extends keyof Values>(kind: Kind): Found<Values[Kind]>[] => {
    const past = records.filter((record) => record.kind === kind && record.time < instant)
    return [...new Set(past.map(({ key }) => key))].sort().flatMap((key) => {
      const value = past.findLast((record) => record.key === key)?.value as Values[Kind] | null
      return value ? [{ ids: key.split(' ').map(Number), value }] : []
    })
  }
  const game = find('game')[0]?.value
  if (!game) return undefined
  const inOrder = <Value extends { readonly time: number }>(list: Found<Value>[]) =>
    list.sort((one, other) => one.value.time - other.value.time)
  return {
    game: { end: new Date(game.end), bloodBonus: game.bloodBonus, bloodPoints: game.bloodPoints },
    challenges: find('challenge')
      .filter(({ value }) => value.isShown)
      .map(({ ids, value: { isShown, deadline, originalScore, minScoreRate, difficulty, ...value } }) => ({
        ...value,
        ...{ points: originalScore, minimumShare: minScoreRate, decay: difficulty },
        ...{ id: ids[0]!, isEnabled: isShown, deadline: deadline === null ? null : new Date(deadline) },
        flagPoints: find('flag')
          .filter(({ value: { challenge } }) => challenge === ids[0])
          .reduce((sum, { value: { points } }) => sum + points, 0),
      })),
    divisions: find('division').map(({ ids, value }) => ({
      ...{ id: ids[0]!, name: value.name, defaultPermissions: value.permissions ?? 2147483647 },
      overrides: new Map(
        find('right').flatMap((right) => (right.ids[0] === ids[0] ? [[right.ids[1]!, right.value.permissions] as const] : [])),
      ),
    })),
    participations: find('participation')
      .filter(({ value }) => value.status === 'Accepted')
      .map(({ ids, value: { team, status, division } }) => ({
        ...{ id: ids[0]!, status, division, team: someNames.team(team) },
        foundFlags: inOrder(find('found').sort((one, other) => one.value.submission - other.value.submission)).flatMap(
          (found) => {
            const { challenge, submission, time: foundAt } = found.value
            const points = find('flag').find((flag) => flag.ids[0] === found.ids[1])?.value.points
            if (found.ids[0] !== ids[0] || !points) return []
            return [{ challengeId: challenge, submissionId: submission, points, foundAt: new Date(foundAt) }]
          },
        ),
        awards: inOrder(find('award').filter(({ value }) => value.participation === ids[0])).map(({ value }) => ({
          points: value.points,
          time: value.time,
        })),
        boughtHints: inOrder(find('hint').filter(({ value }) => value.participation === ids[0])).map(({ value }) => ({
          challengeId: value.challenge,
          price: value.price,
          time: value.time,
        })),
      })),
    solves: inOrder(find('solve').sort((one, other) => one.value.submission - other.value.submission)).map(({ ids, value }) => ({
      ...{ submissionId: value.submission, participationId: ids[0]!, challengeId: ids[1]! },
      ...{ userName: someNames.userOf(value.submission) ?? null, submittedAt: new Date(value.time) },
    })),
  }
}

/** Compares values. Calls `toEqual`, which explains differences but is slow, only if the values differ. */
function expectEqual(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected)
}

/** Returns the times of all records, and a time after all of them. A record does not count at its own time, only at later times. */
function instantsOf(records: readonly ScoreRecord[]): number[] {
  return [...new Set([...records.map(({ time }) => time), instantOf(minutes + 1)])]
}

test('at every moment of any history, a second implementation yields the same data and the same board', () => {
  fc.assert(
    fc.property(anyHistory, fc.integer(), (records, seed) => {
      const given = shuffled(records, seed)
      for (const instant of instantsOf(records)) {
        const facts = boardFactsBeforeInstant(given, new Date(instant), someNames)
        const expected = naiveFacts(records, instant)
        expectEqual(facts, expected)
        if (!facts || !expected) continue
        expectEqual(buildScoreboard({ ...facts, updatedAt }), buildNaiveScoreboard({ ...expected, updatedAt }))
      }
    }),
    { numRuns: runs },
  )
}, 900_000)
