import { curveNames } from '@capstan/contract/score'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildScoreboard, type ScoreboardFacts } from './ranking.ts'
import { factsAt, type ScoreRecord } from './records.ts'
import { atTime } from './testing/facts.ts'
import { naiveScoreboard } from './testing/naive-scoreboard.ts'
import { someNames } from './testing/records.ts'

/** Number of histories. `CAPSTAN_PROPERTY_RUNS` increases it. */
const runs = Number(process.env.CAPSTAN_PROPERTY_RUNS ?? 300)

const updatedAt = atTime('13:00')
const firstMinute = atTime('10:00').getTime()
const minutes = 30
const instantOf = (minute: number) => firstMinute + minute * 60_000

const id = fc.integer({ min: 1, max: 3 })
const pair = fc.tuple(id, id).map(([left, right]) => `${left} ${right}`)
const minute = fc.integer({ min: 0, max: minutes })
const rights = fc.subarray([2, 1024, 2048, 4096]).map((bits) => bits.reduce((sum, bit) => sum + bit, 0))
const time = minute.map(instantOf)

/** States of the rows that a change can leave. Every state of a solve has another submission id than the other solves. */
const changes = fc.oneof(
  fc.record({
    kind: fc.constant('game' as const),
    key: fc.constant(''),
    value: fc.record({
      start: fc.constant(firstMinute),
      end: fc.constantFrom(instantOf(15), instantOf(25)),
      bloodBonus: fc.constantFrom(0, 52459530),
      bloodPoints: fc.constantFrom(null, { first: 30, second: 7, third: 100 }),
    }),
  }),
  fc.record({
    kind: fc.constant('challenge' as const),
    key: id.map(String),
    value: fc.option(
      fc.record({
        title: fc.constantFrom('a', 'b'),
        category: fc.constantFrom('Web' as const, 'Misc' as const),
        isShown: fc.boolean(),
        deadline: fc.option(time),
        originalScore: fc.constantFrom(100, 1000),
        minScoreRate: fc.constantFrom(0, 0.25),
        difficulty: fc.constantFrom(1, 5),
        hasBloods: fc.boolean(),
        curve: fc.constantFrom(...curveNames),
        isValueFixed: fc.boolean(),
      }),
    ),
  }),
  fc.record({
    kind: fc.constant('flag' as const),
    key: id.map(String),
    value: fc.option(fc.record({ challenge: id, points: fc.constantFrom(0, 30) })),
  }),
  fc.record({
    kind: fc.constant('found' as const),
    key: pair,
    value: fc.option(fc.record({ challenge: id, submission: fc.constant(0), time })),
  }),
  fc.record({
    kind: fc.constant('division' as const),
    key: fc.constantFrom('1', '2'),
    value: fc.option(fc.record({ name: fc.constantFrom('Students', 'Open'), permissions: fc.option(rights) })),
  }),
  fc.record({ kind: fc.constant('right' as const), key: pair, value: fc.option(fc.record({ permissions: rights })) }),
  fc.record({
    kind: fc.constant('participation' as const),
    key: id.map(String),
    value: fc.option(
      fc.record({
        team: fc.constant(0),
        status: fc.constantFrom('Accepted' as const, 'Accepted' as const, 'Suspended' as const),
        division: fc.constantFrom(null, 'Students', 'Open'),
      }),
    ),
  }),
  fc.record({
    kind: fc.constant('solve' as const),
    key: pair,
    value: fc.option(fc.record({ submission: fc.constant(0), time })),
  }),
  fc.record({
    kind: fc.constant('award' as const),
    key: id.map(String),
    value: fc.option(fc.record({ participation: id, points: fc.constantFrom(50, -120), time })),
  }),
  fc.record({
    kind: fc.constant('hint' as const),
    key: id.map(String),
    value: fc.option(fc.record({ participation: id, challenge: id, price: fc.constantFrom(0, 30), time })),
  }),
)

/** Records in order of time. Ids of teams and submissions follow from the keys and places. Names of divisions are unique. */
const histories = fc.array(fc.tuple(changes, minute), { maxLength: 60, size: 'max' }).map((list) =>
  list
    .toSorted(([, left], [, right]) => left - right)
    .map(([{ kind, key, value }, at], index) => {
      const common = { kind, key, time: instantOf(at) }
      if (!value) return { ...common, value } as ScoreRecord
      if (kind === 'participation') return { ...common, value: { ...value, team: 100 + Number(key) } } as ScoreRecord
      if (kind === 'solve' || kind === 'found') return { ...common, value: { ...value, submission: index + 1 } } as ScoreRecord
      if (kind === 'division') return { ...common, value: { ...value, name: key === '1' ? 'Students' : 'Open' } } as ScoreRecord
      return { ...common, value } as ScoreRecord
    }),
)

/** Moves records so that only records with the same key retain their order. */
function shuffled(records: readonly ScoreRecord[], places: readonly number[]): ScoreRecord[] {
  const placed = records.map((record, index) => ({
    record,
    place: places[index % places.length] ?? 0,
    row: `${record.kind} ${record.key}`,
  }))
  const queues = Map.groupBy(placed, ({ row }) => row)
  const order = placed.toSorted((left, right) => left.place - right.place)
  const next = new Map([...queues.keys()].map((row) => [row, 0]))
  return order.map(({ row }) => {
    const index = next.get(row) ?? 0
    next.set(row, index + 1)
    return queues.get(row)![index]!.record
  })
}

type Values = { [Kind in ScoreRecord['kind']]: NonNullable<Extract<ScoreRecord, { kind: Kind }>['value']> }
type Found<Value> = Readonly<{
  /** Ids in the key. */
  ids: readonly number[]
  value: Value
}>

/** Second implementation: for each row it searches the last record before the instant. */
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
      .map(({ ids, value: { isShown, deadline, ...value } }) => ({
        ...value,
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

test('folds any history to the facts and the board of a second implementation, at every moment', () => {
  const places = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 60, maxLength: 60 })
  fc.assert(
    fc.property(histories, places, (records, order) => {
      const given = shuffled(records, order)
      for (let at = 0; at <= minutes + 1; at++) {
        const facts = factsAt(given, new Date(instantOf(at)), someNames)
        const expected = naiveFacts(records, instantOf(at))
        expect(facts).toEqual(expected)
        if (!facts || !expected) continue
        expect(buildScoreboard({ ...facts, updatedAt })).toEqual(naiveScoreboard({ ...expected, updatedAt }))
      }
    }),
    { numRuns: runs },
  )
})
