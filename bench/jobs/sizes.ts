import type { Bench, Job } from '../bench.ts'
import { createCpuRow, measureCpuOfLoad } from '../measure.ts'
import { count, createRowWithMaximum, megabytes, type Row } from '../table.ts'
import { readMemory } from '../usage.ts'
import { addGame } from '../world.ts'

const amount = 2_560
const megabyte = 1024 * 1024

/** Games with different numbers of teams, challenges and submissions. `maxBytes` is the maximum memory of the api. */
const games = [
  { teams: 100, challenges: 50, solvedByTeam: 16, wrongAnswers: 0 },
  { teams: 500, challenges: 50, solvedByTeam: 16, wrongAnswers: 0, maxBytes: 250 * megabyte },
  { teams: 500, challenges: 50, solvedByTeam: 16, wrongAnswers: 500_000 },
  { teams: 5_000, challenges: 100, solvedByTeam: 20, wrongAnswers: 0, maxBytes: 400 * megabyte },
]

/** Measures one kind of request after another, on a newly started api. */
async function play(bench: Bench, { maxBytes, ...size }: (typeof games)[number]): Promise<Row[]> {
  const name = `${count(size.teams)} x ${size.challenges} x ${count(size.teams * size.solvedByTeam + size.wrongAnswers)}`
  const database = await bench.openDatabase(`size_${size.teams}_${size.wrongAnswers}`, size.teams)
  const world = await addGame(database.sql, size)
  const api = await bench.startApi(database)
  const board = [{ path: world.boardPath }]
  const kinds = {
    board,
    'own board': world.ownBoards(),
    'right flag, watched board': world.takeSolves(amount),
    'changed board': board,
  }
  const rows: Row[] = []
  for (const [kind, requests] of Object.entries(kinds))
    rows.push(createCpuRow(`${kind} at ${name}`, [await measureCpuOfLoad(api, { requests, amount })]))
  const bytes = await readMemory(api.pid, 'VmHWM')
  await api.stop()
  const job = `api memory, peak at ${name}`
  return [
    maxBytes === undefined ? { job, ours: megabytes(bytes) } : createRowWithMaximum(job, bytes, maxBytes, megabytes),
    ...rows,
  ]
}

export const job: Job = {
  name: 'sizes',
  about: 'memory of the api and CPU of each call by the size of the game: teams x challenges x submissions',
  async run(bench) {
    const rows: Row[] = []
    for (const game of games) rows.push(...(await play(bench, game)))
    return rows
  },
}
