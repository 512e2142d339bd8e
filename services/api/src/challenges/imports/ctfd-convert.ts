import { randomBytes, randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { escapeFormulas } from '@capstan/contract/formula'
import type { ImportDifference } from '@capstan/contract/imports'
import { ImportLimits, InputLimits, Limits } from '@capstan/contract/limits'
import { buildScoreboard } from '../../rules/scoring/ranking.ts'
import { UnfitArchive } from '../archives/unfit-archive.ts'
import type { Archive } from '../archives/zip-archive.ts'
import { convertCtfdChallenges, reportTextDifferences } from './ctfd-challenges.ts'
import { convertCtfdTeams, convertCtfdUsers, type PlannedTeam, type PlannedUser } from './ctfd-people.ts'
import { convertCtfdQuestions } from './ctfd-questions.ts'
import { readCtfdFreeze, readCtfdSettings } from './ctfd-settings.ts'
import { type CtfdTables, type Row, readCtfdTables } from './ctfd-tables.ts'
import { Findings } from './findings.ts'
import type { ImportPlan, PlannedChallenge, PlatformAnswers } from './plan.ts'
import { truncateText } from './truncate.ts'

const rowsPerBatch = 2_000

function batches(rows: readonly object[]): string[] {
  return Array.from({ length: Math.ceil(rows.length / rowsPerBatch) }, (_, index) =>
    JSON.stringify(rows.slice(index * rowsPerBatch, (index + 1) * rowsPerBatch)),
  )
}

type CountedSolve = Readonly<{
  id: number
  account: number
  challenge: number
  time: Date
}>

type CountedAward = Readonly<{
  id: number
  account: number
  points: number
  time: Date
}>

/** Sums the points of each account like CTFd: current values of all solves, plus awards. */
function pointsThere(tables: CtfdTables, solves: readonly CountedSolve[], awards: readonly CountedAward[]) {
  const values = new Map(tables.challenges.map((row) => [row.id, row.number('value') ?? 0]))
  const standing = new Map<number, { points: number; time: number; id: number }>()
  const add = (account: number, points: number, { time, id }: { time: Date; id: number }) => {
    const known = standing.get(account) ?? { points: 0, time: 0, id: 0 }
    known.points += points
    // CTFd ignores entries without points when it orders teams.
    if (points !== 0) {
      known.time = Math.max(known.time, time.getTime())
      known.id = Math.max(known.id, id)
    }
    standing.set(account, known)
  }
  for (const solve of solves) add(solve.account, values.get(solve.challenge) ?? 0, solve)
  for (const award of awards) add(award.account, award.points, award)
  return standing
}

/** Reports differences between the board in CTFd and the board that this platform builds from the same solves. */
function compareBoards(
  plan: { teams: ReadonlyMap<number, PlannedTeam>; challenges: readonly PlannedChallenge[]; end: Date },
  tables: CtfdTables,
  solves: readonly CountedSolve[],
  awards: readonly CountedAward[],
  findings: Findings,
): { rankedTeams: number; differences: ImportDifference[] } {
  const shown = [...plan.teams.values()].filter(({ isShown }) => isShown)
  const awardsOf = Map.groupBy(awards, ({ account }) => account)
  const board = buildScoreboard({
    game: { end: plan.end, bloodBonus: 0 },
    challenges: plan.challenges.map(({ key, challenge }) => ({
      ...{ id: key, title: challenge.title, category: challenge.category, isEnabled: challenge.enabled },
      ...{ points: challenge.points, minimumShare: challenge.minimumShare, decay: challenge.decay },
      ...{ curve: challenge.curve, hasBloods: true, isValueFixed: false, deadline: null },
    })),
    divisions: [],
    participations: shown.map(({ key, name }) => ({
      ...{ id: key, status: 'Accepted' as const, division: null },
      awards: (awardsOf.get(key) ?? []).map(({ points, time }) => ({ points: boundedPoints(points), time: time.getTime() })),
      team: { id: key, name, bio: null, avatar: null },
    })),
    solves: solves.map(({ id, account, challenge, time }) => ({
      ...{ submissionId: id, participationId: account, challengeId: challenge, userName: null, submittedAt: time },
    })),
    updatedAt: plan.end,
  })
  const there = pointsThere(tables, solves, awards)
  const differences = board.items.flatMap(({ id, name, score }) => {
    const theirs = there.get(id)?.points ?? 0
    return theirs === score ? [] : [{ team: name, theirs, ours: score }]
  })
  const missing = [...there].filter(([account, { points }]) => points !== 0 && !plan.teams.has(account))
  for (const [account, { points }] of missing) differences.push({ team: `#${account}`, theirs: points, ours: 0 })
  const active = board.items.filter(({ id }) => there.has(id))
  const order = active
    .map(({ id }) => ({ ...(there.get(id) ?? { points: 0, time: 0, id: 0 }), account: id }))
    .sort((left, right) => right.points - left.points || left.time - right.time || left.id - right.id)
  const moved = order.filter(({ account }, index) => active[index]?.id !== account).length
  if (moved > 0 && differences.length === 0)
    findings.add(
      {
        ...{ table: 'solves', field: 'date', outcome: 'converted' },
        why: 'Here, the last solve orders teams with equal points. In CTFd, awards and hint costs count too.',
        advice: 'The points are the same. Check the places before you name winners.',
      },
      undefined,
      moved,
    )
  return { rankedTeams: board.items.length, differences }
}

function boundedPoints(points: number): number {
  return Math.min(InputLimits.maxInt32, Math.max(-InputLimits.maxInt32, Math.round(points)))
}

/** Returns, for each account, the first user who submitted or got an award. */
function actorsOf(rows: readonly Row[], accountOf: (row: Row) => number | undefined) {
  const played = new Map<number, number | undefined>()
  for (const row of rows) {
    const account = accountOf(row)
    if (account !== undefined && !played.has(account)) played.set(account, row.int('user_id'))
  }
  return played
}

const missingAccount = 'Its account is not in the export or was not imported.'
const nothingToDo = 'No action is needed.'
const countedElsewhere = 'Check the account. Its points count only if the account is imported.'

function convertPages(tables: CtfdTables, now: Date, findings: Findings) {
  return tables.pages.flatMap((row) => {
    const leaveOut = (why: string, advice: string) => {
      findings.add({ table: 'pages', field: '', outcome: 'left-out', why, advice }, row.id)
      return []
    }
    if (row.flag('draft') || row.flag('hidden') || row.flag('auth_required'))
      return leaveOut('The page was not public, but all posts are.', 'Write a post if everyone may read it.')
    const whole = escapeFormulas(row.text('content'))
    if (whole.trim() === '') return leaveOut('The page is empty.', nothingToDo)
    const title = row.text('title').trim() || row.text('route').trim() || `Page ${row.id}`
    const cuts = {
      title: truncateText(title, Limits.maxPostTitleLength),
      content: truncateText(whole, InputLimits.maxLongTextLength),
    }
    for (const field of ['title', 'content'] as const)
      if (cuts[field] !== (field === 'title' ? title : whole))
        findings.add(
          {
            table: 'pages',
            field,
            outcome: 'converted',
            why: 'The text was too long and was shortened.',
            advice: 'Edit it in the post.',
          },
          row.id,
        )
    reportTextDifferences('pages', 'content', whole, row.id, findings)
    return [{ id: randomBytes(Limits.postIdLength / 2).toString('hex'), ...cuts, updatedAt: now.toISOString() }]
  })
}

function convertNotifications(tables: CtfdTables, now: Date, findings: Findings) {
  return tables.notifications.flatMap((row) => {
    const tell = (field: string, outcome: 'left-out' | 'converted', why: string, advice: string) =>
      findings.add({ table: 'notifications', field, outcome, why, advice }, row.id)
    if (row.int('user_id') !== undefined || row.int('team_id') !== undefined) {
      tell('', 'left-out', 'It was for a single account, but all players see notices.', nothingToDo)
      return []
    }
    const [title, content] = [row.text('title').trim(), row.text('content').trim()]
    const whole = escapeFormulas([title && `**${title}**`, content].filter(Boolean).join(' '))
    if (whole === '') {
      tell('content', 'left-out', 'The notification is empty.', nothingToDo)
      return []
    }
    const text = truncateText(whole, InputLimits.maxShortTextLength)
    if (text !== whole) tell('content', 'converted', 'The text was too long and was shortened.', 'Write it as a post.')
    reportTextDifferences('notifications', 'content', whole, row.id, findings)
    if (!row.time('date')) tell('date', 'converted', 'The notification has no time, so it gets the current time.', nothingToDo)
    return [{ values: [text], publishedAt: (row.time('date') ?? now).toISOString() }]
  })
}

/** Users and teams to which the rows of submissions and awards refer. */
type Actors = Readonly<{
  mode: 'teams' | 'users'
  accountOf: (row: Row) => number | undefined
  users: ReadonlyMap<number, PlannedUser>
  teams: ReadonlyMap<number, PlannedTeam>
}>

/** Submission to import. `isSolve` is true if the submission counts as the solve. */
type Attempt = Readonly<{
  key: number
  challenge: number
  account: number
  userId: string | null
  answer: string
  status: 'Accepted' | 'WrongAnswer'
  time: Date
  isSolve: boolean
}>

/**
 * Converts submissions in the order of their ids. Then converts solves that have no submission.
 * @param undated time to store for a solve without a time
 */
function convertSubmissions(tables: CtfdTables, actors: Actors, undated: Date, findings: Findings): Attempt[] {
  const { mode, accountOf, users, teams } = actors
  const solveRows = new Map(tables.solves.map((row) => [row.id, row]))
  const challengeIds = new Set(tables.challenges.map((row) => row.id))
  const attempts: Attempt[] = []
  const solvedOnce = new Set<string>()
  const read = (row: Row, isSolve: boolean, status: 'Accepted' | 'WrongAnswer', table: 'submissions' | 'solves'): void => {
    const [account, challenge] = [accountOf(row), row.int('challenge_id')]
    const tell = (field: string, outcome: 'left-out' | 'converted', why: string, advice: string) =>
      findings.add({ table, field, outcome, why, advice }, row.id)
    const time = row.time('date')
    if (challenge === undefined || !challengeIds.has(challenge)) {
      tell('challenge_id', 'left-out', 'Its challenge is not in the export.', nothingToDo)
      return
    }
    if (account === undefined || !teams.has(account)) {
      tell(mode === 'teams' ? 'team_id' : 'user_id', 'left-out', missingAccount, countedElsewhere)
      return
    }
    const pair = `${account} ${challenge}`
    const counts = isSolve && !solvedOnce.has(pair)
    if (!time && !counts) {
      tell('date', 'left-out', 'The submission has no time.', nothingToDo)
      return
    }
    if (!time && table === 'submissions')
      tell(
        'date',
        'converted',
        'It has points but no time, so its time is the end of the game.',
        'Check the order of teams with equal points.',
      )
    if (isSolve && !counts)
      tell('', 'converted', 'The team had already solved the challenge, so this correct answer has no points.', nothingToDo)
    if (counts) solvedOnce.add(pair)
    const user = row.int('user_id')
    if (user !== undefined && !users.has(user))
      tell('user_id', 'left-out', 'Its user is not in the export, so it belongs only to the team.', nothingToDo)
    const given = row.text('provided')
    const answer = truncateText(given, InputLimits.maxShortTextLength)
    if (answer !== given)
      tell('provided', 'converted', 'The answer was too long and was shortened.', 'Keep the export if you need the data.')
    attempts.push({
      key: row.id,
      challenge,
      account,
      userId: users.get(user ?? -1)?.id ?? null,
      answer,
      status,
      time: time ?? undated,
      isSolve: counts,
    })
  }
  for (const row of tables.submissions.toSorted((left, right) => left.id - right.id)) {
    const type = row.text('type')
    if (solveRows.has(row.id)) read(row, true, 'Accepted', 'submissions')
    else if (type === 'correct') read(row, false, 'Accepted', 'submissions')
    else if (type === 'incorrect') read(row, false, 'WrongAnswer', 'submissions')
    else {
      const why = `Submissions of the type \`${truncateText(type, 64)}\` were neither correct nor wrong.`
      findings.add(
        { table: 'submissions', field: 'type', outcome: 'left-out', why, advice: 'Keep the export if you need the data.' },
        row.id,
      )
    }
  }
  const submitted = new Set(tables.submissions.map((row) => row.id))
  for (const row of tables.solves)
    if (!submitted.has(row.id)) {
      const why = 'Its submission is missing, so it has no answer and its time is the end of the game.'
      const advice = 'Check the order of teams with equal points.'
      findings.add({ table: 'solves', field: 'id', outcome: 'converted', why, advice }, row.id)
      read(row, true, 'Accepted', 'solves')
    }
  return attempts
}

function convertAwards(tables: CtfdTables, { mode, accountOf, teams }: Actors, now: Date, findings: Findings) {
  return tables.awards.flatMap((row): (CountedAward & { title: string })[] => {
    const [account, value] = [accountOf(row), row.number('value') ?? 0]
    const tell = (field: string, outcome: 'left-out' | 'converted', why: string, advice: string) =>
      findings.add({ table: 'awards', field, outcome, why, advice }, row.id)
    if (value === 0) {
      tell('value', 'left-out', 'The award has no points.', nothingToDo)
      return []
    }
    if (account === undefined || !teams.has(account)) {
      tell(mode === 'teams' ? 'team_id' : 'user_id', 'left-out', missingAccount, countedElsewhere)
      return []
    }
    const [name, description] = [row.text('name').trim(), row.text('description').trim()]
    const whole = name || description || 'Award'
    const title = truncateText(whole, InputLimits.maxTitleLength)
    if (title !== whole) tell('name', 'converted', 'The title was too long and was shortened.', 'Edit it in the game.')
    if (name !== '' && description !== '')
      tell('description', 'left-out', 'Awards here have only a title.', 'Keep the export if you need the data.')
    if (!row.time('date')) tell('date', 'converted', 'The award has no time, so it gets the current time.', nothingToDo)
    return [{ id: row.id, account, points: value, time: row.time('date') ?? now, title }]
  })
}

/**
 * Returns start and end of the game. The period includes all counted solves, because CTFd also counts solves before the start and
 * after the end.
 */
function timesOfGame(
  settings: Readonly<{ start?: Date | undefined; end?: Date | undefined }>,
  solves: readonly CountedSolve[],
  now: Date,
  findings: Findings,
) {
  const moments = solves.map(({ time }) => time.getTime())
  const firstMs = moments.reduce((least, moment) => Math.min(least, moment), Number.POSITIVE_INFINITY)
  const lastMs = moments.reduce((most, moment) => Math.max(most, moment), Number.NEGATIVE_INFINITY)
  const startMs = Math.min(settings.start?.getTime() ?? Number.POSITIVE_INFINITY, firstMs, now.getTime())
  const endMs = Math.max(settings.end?.getTime() ?? Number.NEGATIVE_INFINITY, lastMs + 1, startMs + 60_000)
  const tellTime = (field: string) =>
    findings.add({
      ...{ table: 'config', field, outcome: 'converted' },
      why: `The ${field} of the game is set from its solves, because it was missing or some solves are outside of it.`,
      advice: 'Do not change it, because solves outside of the game would not count.',
    })
  if (settings.start?.getTime() !== startMs) tellTime('start')
  if (settings.end?.getTime() !== endMs) tellTime('end')
  return { start: new Date(startMs), end: new Date(endMs) }
}

export type ConvertOptions = Readonly<{
  maxFileBytes: number
  now: Date
}>

export async function convertCtfdExport(
  archive: Archive,
  platform: PlatformAnswers,
  { maxFileBytes, now }: ConvertOptions,
): Promise<ImportPlan> {
  const findings = new Findings()
  const tables = await readCtfdTables(archive, findings)
  if (tables.config.length === 0 || (tables.users.length === 0 && tables.challenges.length === 0))
    throw new UnfitArchive(
      'The archive is not a CTFd export: `db/config.json`, `db/users.json` or `db/challenges.json` is missing.',
    )
  if (tables.users.length > ImportLimits.people || tables.teams.length > ImportLimits.people)
    throw new UnfitArchive(`The export has more than ${ImportLimits.people} accounts or teams.`)
  if (tables.challenges.length > ImportLimits.challenges)
    throw new UnfitArchive(`The export has more than ${ImportLimits.challenges} challenges.`)
  await nextTurn()
  const settings = readCtfdSettings(tables, findings)
  const { mode } = settings
  const accountOf = (row: Row): number | undefined => row.int(mode === 'teams' ? 'team_id' : 'user_id')

  const { users, rows: userRows } = await convertCtfdUsers(tables, platform, now, findings)
  const played = actorsOf([...tables.submissions, ...tables.awards], accountOf)
  const { teams, rows: teamRows, divisions } = await convertCtfdTeams(tables, mode, users, played, platform, findings)

  if (teams.size * tables.challenges.length > ImportLimits.assignments)
    throw new UnfitArchive(`The export has more than ${ImportLimits.assignments} pairs of a team and a challenge.`)

  const actors: Actors = { mode, accountOf, users, teams }
  const attempts = convertSubmissions(tables, actors, settings.end ?? now, findings)
  await nextTurn()
  const awards = convertAwards(tables, actors, now, findings)
  const solves = attempts.flatMap(({ key, account, challenge, time, isSolve }) =>
    isSolve ? [{ id: key, account, challenge, time }] : [],
  )
  const shownSolves = solves.filter(({ account }) => teams.get(account)?.isShown)
  const counted = new Map([...Map.groupBy(solves, ({ challenge }) => challenge)].map(([id, list]) => [id, list.length]))
  const challenges = convertCtfdChallenges(tables, counted, archive, maxFileBytes, findings)

  const { start, end } = timesOfGame(settings, solves, now, findings)
  const freeze = readCtfdFreeze(settings, { start, end }, findings)
  const { questions, answers } = convertCtfdQuestions(tables, actors, findings)
  const shownAwards = awards.filter(({ account }) => teams.get(account)?.isShown)
  const { rankedTeams, differences } = compareBoards({ teams, challenges, end }, tables, shownSolves, shownAwards, findings)
  const posts = convertPages(tables, now, findings)
  const notices = convertNotifications(tables, now, findings)
  const iso = (time: Date): string => time.toISOString()
  const planned = [...teams.values()]
  return {
    report: {
      gameId: null,
      title: settings.title,
      mode,
      start: iso(start),
      end: iso(end),
      counts: {
        users: userRows.length,
        matchedUsers: users.size - userRows.length,
        teams: teamRows.length,
        challenges: challenges.length,
        flags: challenges.reduce((sum, { challenge }) => sum + challenge.flags.length, 0),
        hints: challenges.reduce((sum, { challenge }) => sum + challenge.hints.length, 0),
        files: challenges.reduce((sum, { challenge }) => sum + (challenge.attachment?.parts.length ?? 0), 0),
        submissions: attempts.length,
        solves: solves.length,
        awards: awards.length,
        posts: posts.length,
        notices: notices.length,
      },
      rankedTeams,
      differences: differences.slice(0, ImportLimits.differences),
      differenceCount: differences.length,
      findings: findings.list(),
    },
    game: {
      title: settings.title,
      summary: settings.summary,
      teamSize: settings.teamSize,
      startsAt: iso(start),
      endsAt: iso(end),
      freezeAt: freeze && iso(freeze),
      teamLimit: settings.teamLimit,
      questions,
      divisions,
    },
    challenges,
    teamKeys: planned.map(({ key }) => key),
    users: batches(userRows),
    teams: batches(teamRows.map((row) => ({ ...row, inviteToken: randomBytes(16).toString('hex') }))),
    members: batches(planned.flatMap(({ key, memberIds }) => memberIds.map((userId) => ({ team: key, userId })))),
    participations: batches(
      planned.map(({ key, division, isShown }) => ({ team: key, division, status: isShown ? 'Accepted' : 'Suspended' })),
    ),
    answers: batches(answers),
    submissions: batches(
      attempts.map(({ key: _key, time, ...attempt }) => ({ ...attempt, attempt: randomUUID(), submittedAt: iso(time) })),
    ),
    awards: batches(
      awards.map(({ account, title, points, time }) => ({ account, title, points: boundedPoints(points), awardedAt: iso(time) })),
    ),
    notices: batches(notices),
    posts: batches(posts),
  }
}
