import { bloodTypes } from '@capstan/contract/vocabulary'
import type { Sql } from 'postgres'
import { expect } from 'vitest'
import type { Acknowledged } from './crowd.ts'
import type { CrashWorld } from './world.ts'

interface Submission {
  id: number
  /** Number of the submission that players see. It is unique within the team. */
  number: number
  challenge_id: number
  participation_id: number
  answer: string
  status: string
  submitted_at: string
  user_name: string
}

async function listSubmissions(sql: Sql) {
  return (await sql`
    select s.id, number, challenge_id, participation_id, answer, status, submitted_at, user_name
    from submissions s join users u on u.id = s.user_id order by submitted_at, s.id`) as unknown as Submission[]
}

/** Returns the first right answer of each team to each challenge. */
function firstsOf(submissions: readonly Submission[]) {
  const firsts = new Map<string, Submission>()
  for (const submission of submissions.filter(({ status }) => status === 'Accepted')) {
    const key = `${submission.challenge_id} ${submission.participation_id}`
    if (!firsts.has(key)) firsts.set(key, submission)
  }
  return [...firsts.values()]
}

/**
 * Checks that each acknowledged submission is stored once and all rows are consistent.
 * @returns the first right answer of each team to each challenge
 */
export async function expectAllStoredOnce(sql: Sql, world: CrashWorld, acknowledged: Acknowledged): Promise<Submission[]> {
  // Each acknowledged submission is stored once. No wrong answer is stored twice, even if it was not acknowledged.
  const submissions = await listSubmissions(sql)
  const keyOf = (submission: Pick<Submission, 'number' | 'answer'>) => `${submission.number} ${submission.answer}`
  const stored = Map.groupBy(submissions, keyOf)
  const missing = [...Map.groupBy(acknowledged.submissions, keyOf)].filter(
    ([key, list]) => list.length > (stored.get(key)?.length ?? 0),
  )
  expect(missing).toEqual([])
  const guesses = submissions.filter(({ answer }) => answer.startsWith('flag{guess')).map(({ answer }) => answer)
  expect(guesses.length).toBe(new Set(guesses).size)

  // Solve, event and notice must be stored together with their submission.
  const gameId = world.game.id
  const [events] = await sql`select count(*)::int from events where game_id = ${gameId} and type = 'FlagSubmit'`
  expect(events?.count).toBe(submissions.length)
  const firsts = firstsOf(submissions)
  const solves = await sql`select submission_id from solves where game_id = ${gameId} order by solved_at, submission_id`
  expect(solves.map(({ submission_id }) => submission_id)).toEqual(firsts.map(({ id }) => id))
  const bloods =
    await sql`select type, values[2] as title from notices where game_id = ${gameId} and type like '%Blood' order by id`
  for (const { id, title } of world.solvable) {
    const order = bloodTypes.slice(0, firsts.filter((one) => one.challenge_id === id).length)
    expect(bloods.filter((blood) => blood.title === title).map(({ type }) => type)).toEqual(order)
  }
  const counts = await sql`select id, accepted_count from challenges where title like 'solve %' order by id`
  expect(counts.map(({ accepted_count }) => accepted_count)).toEqual(
    counts.map(({ id }) => firsts.filter(({ challenge_id }) => challenge_id === id).length),
  )
  return firsts
}
