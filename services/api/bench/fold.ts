// Usage: node --conditions=source services/api/bench/fold.ts
//
// Measures the functions with which the board thread aggregates the records of a large game. Prints the median durations in ms as
// JSON.
import process from 'node:process'
import { boardFactsOfScoreState, createScoreFoldOfAllRecords, type ScoreRecord } from '../src/rules/scoring/records.ts'

const size = { teams: 5_000, challenges: 100, records: 60_000 }
const turns = 11
const startMs = Date.parse('2026-01-01T00:00:00Z')
const common = { time: startMs }

function* recordsOf(): Generator<ScoreRecord> {
  const game = { start: startMs, end: startMs + 2 * 86_400_000, bloodBonus: 52459530, bloodPoints: null }
  yield { ...common, kind: 'game', key: '', value: game }
  for (let id = 1; id <= size.challenges; id += 1)
    yield {
      ...{ ...common, kind: 'challenge', key: String(id) },
      value: {
        ...{ title: `Challenge number ${id}`, category: 'Web', isShown: true, deadline: null, originalScore: 500 },
        ...{ minScoreRate: 0.25, difficulty: 5, hasBloods: true, curve: 'exponential', isValueFixed: false },
      },
    }
  for (let id = 1; id <= size.teams; id += 1)
    yield { ...common, kind: 'participation', key: String(id), value: { team: id, status: 'Accepted', division: null } }
  const solves = size.records - size.teams - size.challenges - 1
  for (let index = 0; index < solves; index += 1) {
    const [participation, time] = [1 + (index % size.teams), startMs + index * 1_000]
    const challenge = 1 + ((Math.floor(index / size.teams) + participation * 7) % size.challenges)
    yield { kind: 'solve', key: `${participation} ${challenge}`, time, value: { submission: index + 1, time } }
  }
}

const records = [...recordsOf()]
const names = {
  team: (id: number) => ({ id, name: `Team ${id}`, bio: null, avatar: null }),
  userOf: (submissionId: number) => `player${submissionId % size.teams}`,
}
const measured = Array.from({ length: turns }, () => {
  const startedAtMs = performance.now()
  const fold = createScoreFoldOfAllRecords()
  fold.add(records)
  const foldedAtMs = performance.now()
  boardFactsOfScoreState(fold.state, names)
  return { foldMs: foldedAtMs - startedAtMs, factsMs: performance.now() - foldedAtMs }
})
function medianOf(name: 'foldMs' | 'factsMs') {
  return measured.map((turn) => turn[name]).sort((left, right) => left - right)[Math.floor(turns / 2)]
}
process.stdout.write(JSON.stringify({ foldMs: medianOf('foldMs'), factsMs: medianOf('factsMs') }))
