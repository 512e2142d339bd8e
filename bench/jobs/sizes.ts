import { type Bench, cpuEachMs, cpuText, type Job, type Measured, measure } from '../bench.ts'
import { browserHeaders, faultsOf, type LoadRequest } from '../load.ts'
import { atMost, count, fineMilliseconds, megabytes, type Row } from '../table.ts'
import { readPeakMemory } from '../usage.ts'
import { addGame } from '../world.ts'

const amount = 2_560
const megabyte = 1024 * 1024

/** Games by players, by challenges and by submissions. Two of them have a bar for the memory of the api. */
const games = [
  { teams: 100, challenges: 50, solvedByTeam: 16, wrongAnswers: 0, maxBytes: undefined },
  { teams: 500, challenges: 50, solvedByTeam: 16, wrongAnswers: 0, maxBytes: 250 * megabyte },
  { teams: 500, challenges: 50, solvedByTeam: 16, wrongAnswers: 500_000, maxBytes: undefined },
  { teams: 5_000, challenges: 100, solvedByTeam: 20, wrongAnswers: 0, maxBytes: 400 * megabyte },
]

/** Plays one kind of call after another on a new api. */
const play = async (bench: Bench, { maxBytes, ...size }: (typeof games)[number]): Promise<{ rows: Row[]; faults: string[] }> => {
  const name = `${count(size.teams)} x ${size.challenges} x ${count(size.teams * size.solvedByTeam + size.wrongAnswers)}`
  const database = await bench.openDatabase(`size_${size.teams}_${size.wrongAnswers}`, size.teams)
  const world = await addGame(database.sql, size)
  const api = await bench.startApi(database)
  const game = `/api/game/${world.gameId}`
  const board: LoadRequest[] = [{ path: `${game}/scoreboard`, headers: browserHeaders }]
  const kinds: Record<string, LoadRequest[]> = {
    board,
    'own board': Array.from({ length: size.teams }, (_, team) => ({
      path: `${game}/details`,
      headers: { ...browserHeaders, cookie: world.cookie(team) },
    })),
    'right flag, watched board': world.unsolved(0, amount).map(({ team, challenge }) => ({
      method: 'POST',
      path: world.path(challenge),
      headers: { cookie: world.cookie(team) },
      body: JSON.stringify({ flag: world.flag(challenge) }),
    })),
    'changed board': board,
  }
  const reports: Record<string, Measured> = {}
  for (const [kind, requests] of Object.entries(kinds)) reports[kind] = await measure(api, { requests, amount })
  const bytes = await readPeakMemory(api.pid)
  await api.stop()
  const job = `api memory, peak at ${name}`
  return {
    rows: [
      maxBytes === undefined ? { job, ours: megabytes(bytes) } : atMost(job, bytes, maxBytes, megabytes),
      ...Object.entries(reports).map(([kind, report]) => ({
        job: `${kind} at ${name}`,
        ours: fineMilliseconds(cpuEachMs([report])),
        cpu: cpuText([report]),
      })),
    ],
    faults: faultsOf(name, Object.values(reports)),
  }
}

export const sizesJob: Job = {
  name: 'sizes',
  about: 'memory of the api and CPU of each call by the size of the game: teams x challenges x submissions',
  async run(bench) {
    const played = []
    for (const game of games) played.push(await play(bench, game))
    return { rows: played.flatMap(({ rows }) => rows), faults: played.flatMap(({ faults }) => faults) }
  },
}
