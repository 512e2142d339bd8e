import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { seededRandom } from '../../data/random.ts'
import type { Bench, BenchDatabase, Job } from '../bench.ts'
import { createCommitRate, insertRow } from '../limits/commit-rate.ts'
import type { LoadReport, LoadRequest } from '../load/order.ts'
import { withCpu } from '../process-usage.ts'
import { milliseconds, perSecond } from '../report.ts'
import { alternate, summarise } from '../rounds.ts'
import { countStatements } from '../statements.ts'
import { median } from '../statistics.ts'
import type { World } from '../world.ts'
import { cpuEachMs, faultsOf } from './http.ts'

const mostStatements = 8
/** Of a hundred submissions for a challenge that the team has not solved, and for one that it has, these are right. */
const rightPercent = 20
const againPercent = 2
/** More than any machine submits in one measurement. */
const plannedPerSecond = 8_000
const tmpfsType = 0x01021994

type Planned = Readonly<{
  player: number
  challenge: number
  answer: string
  isRight: boolean
}>

/** Makes submissions as they come in a game: by all teams, for all challenges, mostly wrong. Never the same wrong one twice. */
function createPlan(world: World) {
  const random = seededRandom(64)
  const solved = new Set<number>()
  let serial = 0
  const pick = (list: readonly unknown[]) => Math.floor(random() * list.length)
  const keyOf = ({ player, challenge }: Pick<Planned, 'player' | 'challenge'>) => player * world.challenges.length + challenge
  const next = (planned: Set<number>): Planned => {
    const [player, challenge] = [pick(world.players), pick(world.challenges)]
    const key = keyOf({ player, challenge })
    const isKnown = world.hasSolved(player, challenge) || solved.has(key) || planned.has(key)
    const isRight = random() * 100 < (isKnown ? againPercent : rightPercent)
    if (isRight) planned.add(key)
    serial += 1
    return { player, challenge, isRight, answer: isRight ? world.flagOf(player, challenge) : `flag{guess-${serial}}` }
  }
  const requestOf = ({ player, challenge, answer }: Planned): LoadRequest => ({
    method: 'POST',
    path: `/api/game/${world.gameId}/challenges/${world.challenges[challenge]?.id}`,
    headers: { cookie: world.players[player]?.cookie ?? '' },
    body: JSON.stringify({ flag: answer }),
  })
  return {
    /** The next submissions; what a plan solves counts as solved only once it is known to have been sent. */
    take(count: number): Planned[] {
      const planned = new Set<number>()
      return Array.from({ length: count }, () => next(planned))
    },
    remember(sent: Planned): void {
      if (sent.isRight) solved.add(keyOf(sent))
    },
    requestOf,
  }
}

type Acknowledged = Planned &
  Readonly<{
    id: number
  }>

/** Looks every acknowledged submission up. @returns what is not as it must be */
async function verify(
  { sql, world }: BenchDatabase,
  acknowledged: readonly Acknowledged[],
  rowsAdded: number,
): Promise<string[]> {
  const faults: string[] = []
  const ids = new Set(acknowledged.map(({ id }) => id))
  if (ids.size !== acknowledged.length) faults.push(`submit: ${acknowledged.length - ids.size} ids were given out twice`)
  const expected = acknowledged.map(({ id, player, challenge, answer, isRight }) => ({
    id,
    participation: world.players[player]?.participationId ?? 0,
    challenge: world.challenges[challenge]?.id ?? 0,
    answer,
    status: isRight ? 'Accepted' : 'WrongAnswer',
  }))
  const [found] = await sql<{ stored: number; unsolved: number }[]>`
    with expected as (
      select * from jsonb_to_recordset(${JSON.stringify(expected)}::text::jsonb)
        as given (id integer, participation integer, challenge integer, answer text, status text))
    select count(submissions.id)::integer as stored,
      count(*) filter (where expected.status = 'Accepted' and solves.id is null)::integer as unsolved
    from expected
    left join submissions on submissions.id = expected.id and submissions.answer = expected.answer
      and submissions.status = expected.status and submissions.participation_id = expected.participation
      and submissions.challenge_id = expected.challenge
    left join solves on solves.participation_id = expected.participation and solves.challenge_id = expected.challenge`
  const lost = acknowledged.length - (found?.stored ?? 0)
  if (lost !== 0)
    faults.push(`submit: ${lost} of ${acknowledged.length} acknowledged submissions are not stored as they were sent`)
  if (found?.unsolved !== 0) faults.push(`submit: ${found?.unsolved} right answers have no solve`)
  if (rowsAdded !== acknowledged.length)
    faults.push(`submit: ${rowsAdded} submissions are stored, ${acknowledged.length} were acknowledged`)
  return faults
}

async function countRows({ sql }: BenchDatabase): Promise<number> {
  return (await sql<{ count: number }[]>`select count(*)::integer as count from submissions`)[0]?.count ?? 0
}

async function describeDisk(): Promise<string> {
  return (await statfs(tmpdir())).type === tmpfsType
    ? 'the database lies in memory (tmpfs), where fsync costs nothing'
    : 'the database lies on a disk, with fsync'
}

/** What the same libraries do without a session, a question or a rule: a bare route that inserts one row. */
export async function bareInsert(bench: Bench, { url }: BenchDatabase) {
  const path = '/insert'
  const query = { url, statement: `${insertRow('$1')} returning id`, parameters: ['flag{a-first-guess}'] }
  const { port, pid } = await bench.bare({
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json' },
    bytes: Buffer.from('1'),
    query,
  })
  const requests = [{ method: 'POST' as const, path, body: '{"flag":"flag{a-first-guess}"}' }]
  const { seconds, clients } = bench
  return { pid, load: () => bench.load({ port, clients, seconds, requests, keepsBodies: false }) }
}

async function measureBareInsert(bench: Bench, database: BenchDatabase): Promise<number> {
  const { load } = await bareInsert(bench, database)
  const rates: number[] = []
  for (let round = 0; round < 3; round += 1) rates.push((await load()).perSecond)
  return median(rates.slice(1))
}

/** The busiest minute of a game: everybody submits. */
export const submitJob: Job = {
  name: 'submit',
  about: 'flag submissions with fsync, beside pgbench inserting and committing one row at the same concurrency',
  shareSeconds: 40,
  place: 40,
  async run(bench: Bench) {
    const database = await bench.database()
    const { port, pid } = await bench.api()
    const { seconds, clients } = bench
    const plan = createPlan(database.world)
    const rate = await createCommitRate(database.url)
    bench.onClose(rate.close)
    const rowsBefore = await countRows(database)
    const acknowledged: Acknowledged[] = []
    const reports: (LoadReport & { cpuMs: number })[] = []

    const submit = async () => {
      const planned = plan.take(Math.ceil(plannedPerSecond * seconds))
      const order = { port, clients, seconds, requests: planned.map(plan.requestOf), keepsBodies: true }
      const report = await withCpu(pid, () => bench.load(order))
      for (const [index, body] of report.bodies) {
        const submission = planned[index]
        if (!submission) continue
        plan.remember(submission)
        acknowledged.push({ ...submission, id: Number(body) })
      }
      reports.push(report)
      return { perSecond: report.perSecond }
    }
    const comparison = await alternate(bench.rounds, submit, async () => ({ perSecond: await rate.measure(clients, seconds) }))
    const { ours, limit, ratio } = summarise(comparison, (measure) => measure.perSecond)
    const sameStack = await measureBareInsert(bench, database)
    const faults = await verify(database, acknowledged, (await countRows(database)) - rowsBefore)
    const counted = plan.take(60).map(plan.requestOf)
    const views = counted.map(({ path, headers = {} }) => ({ method: 'GET' as const, path, headers }))
    const statements = await countStatements(bench, counted, views)
    const p99Ms = median(reports.slice(1).map((report) => report.p99Ms))
    return {
      // The bars of submissions are by CPU, in the job `judging`.
      rows: [
        {
          job: 'submit',
          ours: perSecond(ours),
          limit: perSecond(limit),
          ratio,
        },
        {
          job: 'submit, beside Fastify inserting one row',
          ours: perSecond(ours),
          limit: perSecond(sameStack),
          ratio: ours / sameStack,
        },
        {
          job: 'submit, statements a request',
          ours: String(statements.most),
          bar: `<= ${mostStatements}`,
          isMet: statements.most <= mostStatements,
        },
      ],
      notes: [
        `submit: ${clients} clients as ${database.world.players.length} teams, p99 ${milliseconds(p99Ms)}, ${cpuEachMs(reports.slice(1)).toFixed(2)} ms of the api's CPU each; ${acknowledged.length} acknowledged, each looked up in the database afterwards; statements ${statements.text}.`,
        `submit: limit by ${rate.tool}; ${await describeDisk()}.`,
      ],
      faults: [...faultsOf('submit', reports), ...faults, ...statements.faults],
    }
  },
}
