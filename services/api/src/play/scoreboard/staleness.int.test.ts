import type { UnlockRule } from '@capstan/contract/unlock'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { aChallenge, aGame, aSubmission } from '../../testing/organizing-factories.ts'
import { aPlayer } from '../../testing/playing-factories.ts'
import { loadStoredAndRecordedFacts } from '../../testing/recorded-facts.ts'
import type { Board } from './board.ts'
import { createBoardMaker } from './board-maker.ts'
import { createScoreboardService, type ScoreboardService } from './service.ts'

/** Two processes that share only the database. */
let context: TestApp
let replicas: readonly ScoreboardService[]
beforeAll(async () => {
  context = await startTestApp()
  replicas = [0, 1].map(() =>
    createScoreboardService({
      ...context.deps,
      boardMaker: createBoardMaker(context.deps),
      log: { warn: () => {} },
      timings: { pauseMs: 20 },
    }),
  )
  for (const replica of replicas) replica.start()
})
afterAll(async () => {
  for (const replica of replicas) await replica.close()
  await context.close()
})

async function aScene() {
  const { db } = context
  const game = await aGame(db)
  const challenge = await aChallenge(db, { gameId: game.id, type: 'StaticAttachment' })
  const another = await aChallenge(db, { gameId: game.id })
  const disabled = await aChallenge(db, { gameId: game.id, isEnabled: false })
  const unlockRule: UnlockRule = { after: [], count: null, points: 1_000_000, locked: 'Shown' }
  const [ruled, unlocked] = [
    await aChallenge(db, { gameId: game.id, unlockRule }),
    await aChallenge(db, { gameId: game.id, unlockRule }),
  ]
  const player = await aPlayer(context, { gameId: game.id })
  const rival = await aPlayer(context, { gameId: game.id })
  const first = await aSubmission(db, player.participation, challenge.id, { solve: true, userId: player.user.id })
  await aSubmission(db, rival.participation, challenge.id, { solve: true, userId: rival.user.id })
  await aSubmission(db, player.participation, challenge.id, { status: 'Accepted', userId: player.user.id })
  const elsewhere = await aGame(db)
  const stranger = await aPlayer(context, { gameId: elsewhere.id })
  const { sql } = context
  const [division] = await sql<{ id: number }[]>`
    insert into divisions (game_id, name, position) values (${game.id}, 'Open', 0) returning id`
  await sql`insert into division_challenges (division_id, challenge_id, permissions) values (${division!.id}, ${challenge.id}, 0)`
  const [award] = await sql<{ id: number }[]>`
    insert into awards (game_id, participation_id, title, points, awarded_at)
    values (${game.id}, ${player.participation.id}, 'Talk', 40, now()) returning id`
  await sql`
    insert into unlocks (game_id, participation_id, challenge_id, unlocked_at)
    values (${game.id}, ${player.participation.id}, ${unlocked.id}, now())`
  const [purchase] = await sql<{ id: number }[]>`
    insert into hint_purchases (game_id, challenge_id, participation_id, hint_id, price, bought_at)
    values (${game.id}, ${challenge.id}, ${player.participation.id}, gen_random_uuid(), 30, now()) returning id`
  const [flag, otherFlag] = await sql<{ id: number }[]>`
    insert into flags (challenge_id, flag, points) values (${challenge.id}, 'part one', 30), (${challenge.id}, 'part two', 70)
    returning id`
  const [found] = await sql<{ id: number }[]>`
    insert into found_flags (game_id, challenge_id, participation_id, flag_id, submission_id, found_at)
    select game_id, challenge_id, participation_id, ${flag!.id}, id, submitted_at from submissions
    where id = ${first.id} returning id`
  return {
    ...{ otherFlag: otherFlag!, game, elsewhere, challenge, another, disabled, ruled, player, rival, stranger, first },
    ids: {
      ...{ games: game.id, challenges: challenge.id, participations: player.participation.id, teams: player.team.id },
      ...{ users: player.user.id, awards: award!.id, divisions: division!.id, hint_purchases: purchase!.id },
      ...{ flags: flag!.id, found_flags: found!.id },
    },
  }
}
type Scene = Awaited<ReturnType<typeof aScene>>

async function shownBy(board: Board | undefined) {
  return (
    board &&
    JSON.stringify([
      { ...JSON.parse(String(await board.answer.in('identity'))), updateTimeUtc: '' },
      board.times,
      board.lockTag,
      String(await board.marks.in('identity')),
    ])
  )
}

function onBoth(scene: Scene) {
  return Promise.all(replicas.map(async (replica) => shownBy(await replica.read(scene.game.id, 'live'))))
}

/** Checks that the score records and the rows of the game yield the same board data. */
async function expectRecorded({ game }: Scene) {
  const { recorded, stored } = await loadStoredAndRecordedFacts(context.db, game.id)
  expect(recorded).toEqual(stored)
}

/** Makes a change and waits until both replicas show the same new board. */
async function expectSeen(scene: Scene, change: () => Promise<unknown>) {
  const [before] = await onBoth(scene)
  await expect.poll(() => onBoth(scene)).toEqual([before, before])
  await change()
  await expect
    .poll(
      async () => {
        const [one, other] = await onBoth(scene)
        return one !== before && one === other
      },
      { message: 'both replicas show the change' },
    )
    .toBe(true)
  await expectRecorded(scene)
}

/** SQL expressions by table and column. Each expression changes the value of a column that boards show. */
const shown: Readonly<Record<string, Readonly<Record<string, (scene: Scene) => string>>>> = {
  games: {
    starts_at: () => `starts_at - interval '1 minute'`,
    ends_at: () => `ends_at + interval '1 minute'`,
    practice_mode: () => 'not practice_mode',
    writeup_deadline: () => `writeup_deadline + interval '1 minute'`,
    blood_bonus: () => '0',
    blood_points: () => `'{"first":9,"second":0,"third":0}'`,
    freeze_at: () => 'ends_at',
    revealed_at: () => 'ends_at',
  },
  challenges: {
    game_id: ({ elsewhere }) => String(elsewhere.id),
    title: () => `'Another title'`,
    category: () => `'Crypto'`,
    type: () => `'StaticContainer'`,
    is_enabled: () => 'false',
    is_released: () => 'false',
    deadline_at: () => `now() + interval '1 day'`,
    original_score: () => '700',
    min_score_rate: () => '1',
    difficulty: () => '0.1',
    attachment_id: () => `(select max(id) from attachments)`,
    tags: () => `'{heap}'`,
    level: () => `'hard'`,
    has_bloods: () => 'false',
    curve: () => `'static'`,
    is_value_fixed: () => 'true',
    unlock_rule: () => `'{"after":[],"count":null,"points":7,"locked":"Shown"}'`,
  },
  participations: {
    game_id: ({ elsewhere }) => String(elsewhere.id),
    team_id: ({ stranger }) => String(stranger.team.id),
    status: () => `'Suspended'`,
    division: () => `'Students'`,
  },
  teams: {
    name: () => `'Another name'`,
    bio: () => `'Another bio'`,
    avatar_hash: () => `repeat('a', 64)`,
  },
  users: { user_name: () => `'Another'` },
  divisions: {
    game_id: ({ elsewhere }) => String(elsewhere.id),
    name: () => `'Students'`,
    permissions: () => '7',
  },
  division_challenges: {
    challenge_id: ({ another }) => String(another.id),
    permissions: () => '7',
  },
  awards: {
    participation_id: ({ rival }) => String(rival.participation.id),
    points: () => '-7',
    awarded_at: () => `awarded_at - interval '1 minute'`,
    revoked_at: () => 'now()',
  },
  hint_purchases: {
    challenge_id: ({ disabled }) => String(disabled.id),
    participation_id: ({ rival }) => String(rival.participation.id),
    price: () => '7',
    bought_at: () => `bought_at - interval '1 second'`,
  },
  flags: { points: () => '31' },
  found_flags: {
    challenge_id: ({ disabled }) => String(disabled.id),
    participation_id: ({ rival }) => String(rival.participation.id),
    flag_id: ({ otherFlag }) => String(otherFlag.id),
    found_at: () => `found_at - interval '1 minute'`,
  },
  unlocks: {
    challenge_id: ({ ruled }) => String(ruled.id),
    participation_id: ({ rival }) => String(rival.participation.id),
  },
  solves: {
    challenge_id: ({ another }) => String(another.id),
    participation_id: ({ stranger }) => String(stranger.participation.id),
    submission_id: () => `(select max(id) from submissions)`,
    solved_at: () => `solved_at - interval '1 second'`,
  },
}

const notShown: Readonly<Record<string, readonly string[]>> = {
  games: [
    'id',
    'title',
    'summary',
    'content',
    'hidden',
    'accept_without_review',
    'invite_code',
    'team_member_count_limit',
    'container_count_limit',
    'poster_hash',
    'writeup_required',
    'writeup_note',
    'allows_debt',
    'registration_opens_at',
    'registration_closes_at',
    'team_limit',
    'questions',
    'survey',
    'public_key',
    'private_key',
    'created_at',
  ],
  challenges: [
    'release_at',
    'is_shown',
    'submission_limit',
    'cooldown_seconds',
    'id',
    'content',
    'hints',
    'priced_hints',
    'flag_template',
    'accepted_count',
    'file_name',
    'container_image',
    'memory_mb',
    'cpu_tenths',
    'storage_mb',
    'exposed_port',
    'speaks',
    'is_raw_http',
    'has_own_certificate',
    'container',
    'container_secrets',
    'first_container',
    'further_containers',
    'further_container_secrets',
    'is_guarded',
    'capture_traffic',
    'captures_all',
  ],
  participations: [
    'id',
    'token',
    'writeup_hash',
    'writeup_name',
    'writeup_uploaded_at',
    'created_at',
    'registered_at',
    'is_waiting',
  ],
  teams: [
    'id',
    'name_skeleton',
    'name_shape',
    'name_reading',
    'has_public_page',
    'captain_id',
    'invite_token',
    'locked',
    'created_at',
  ],
  users: [
    'id',
    'name_skeleton',
    'name_shape',
    'name_reading',
    'email',
    'password_hash',
    'role',
    'email_confirmed',
    'real_name',
    'std_number',
    'phone',
    'bio',
    'avatar_hash',
    'has_public_page',
    'has_game_mail',
    'refused_email',
    'proven_email',
    'registered_at',
    'last_visited_at',
    'last_address',
  ],
  divisions: ['id', 'invite_code', 'position'],
  division_challenges: ['division_id'],
  awards: ['id', 'game_id', 'title', 'is_reason_shown', 'author_id', 'revoker_id'],
  hint_purchases: ['id', 'game_id', 'hint_id', 'user_id'],
  flags: ['id', 'challenge_id', 'flag', 'kind', 'attachment_id'],
  // The submission id matters only for the order of flags that were found at the same time.
  found_flags: ['id', 'game_id', 'submission_id', 'counted_at'],
  unlocks: ['game_id', 'unlocked_at'],
  // The board shows the user of the submission, not the user of the solve.
  solves: ['id', 'game_id', 'user_id', 'counted_at', 'board_version'],
}

const columns = Object.entries(shown).flatMap(([table, changes]) =>
  Object.entries(changes).map(([column, value]) => [table, column, value] as const),
)

describe('both replicas show a changed value of the column', () => {
  test.each(columns)('%s.%s', async (table, column, value) => {
    const scene = await aScene()
    const { sql } = context
    await sql`insert into attachments (type, remote_url) values ('Remote', 'https://files.example/a.zip')`
    if (column === 'min_score_rate' || column === 'difficulty')
      await sql`update challenges set min_score_rate = 0.1, difficulty = 3 where id = ${scene.challenge.id}`
    if (column === 'revealed_at') await sql`update games set freeze_at = ends_at where id = ${scene.game.id}`
    const row =
      table === 'solves'
        ? `challenge_id = ${scene.challenge.id} and participation_id = ${scene.player.participation.id}`
        : table === 'division_challenges'
          ? `division_id = ${scene.ids.divisions}`
          : table === 'unlocks'
            ? `participation_id = ${scene.player.participation.id}`
            : `id = '${scene.ids[table as keyof Scene['ids']]}'`
    // The submission id affects the order only if solves have the same time, so make the times equal.
    if (column === 'submission_id')
      await sql`update solves set solved_at = (select min(solved_at) from solves where challenge_id = ${scene.challenge.id}) where challenge_id = ${scene.challenge.id}`
    if (column === 'participation_id' && table === 'solves')
      await sql`update participations set game_id = ${scene.game.id} where id = ${scene.stranger.participation.id}`
    await expectSeen(scene, () => sql.unsafe(`update ${table} set ${column} = ${value(scene)} where ${row}`))
  })

  test('every column of the tables with board data is listed as shown or as not shown', async () => {
    const rows = await context.sql<{ table: string; column: string }[]>`
      select table_name as "table", column_name as "column" from information_schema.columns
      where table_schema = 'public' and table_name in ${context.sql(Object.keys(notShown))}`
    const unknown = rows.filter(({ table, column }) => !(column in (shown[table] ?? {})) && !notShown[table]?.includes(column))
    expect(unknown).toEqual([])
  })
})

describe('both replicas show the following change', () => {
  const insertedChallenge = (gameId: number) => aChallenge(context.db, { gameId })
  test.each<[what: string, change: (scene: Scene) => Promise<unknown>]>([
    ['a new challenge', ({ game }) => insertedChallenge(game.id)],
    ['a deleted challenge', ({ another }) => context.sql`delete from challenges where id = ${another.id}`],
    ['a new team', ({ game }) => aPlayer(context, { gameId: game.id })],
    [
      'a team that has left the game',
      ({ player }) => context.sql`delete from participations where id = ${player.participation.id}`,
    ],
    ['a deleted team', ({ player }) => context.sql`delete from teams where id = ${player.team.id}`],
    [
      'a new solve',
      ({ another, rival }) => aSubmission(context.db, rival.participation, another.id, { solve: true, userId: rival.user.id }),
    ],
    [
      'a deleted solve',
      ({ challenge, player }) =>
        context.sql`delete from solves where challenge_id = ${challenge.id} and participation_id = ${player.participation.id}`,
    ],
    [
      'a new award',
      ({ game, rival }) => context.sql`insert into awards (game_id, participation_id, title, points, awarded_at)
        values (${game.id}, ${rival.participation.id}, 'Talk', 5, now())`,
    ],
    ['a new division', ({ game }) => context.sql`insert into divisions (game_id, name, position) values (${game.id}, 'New', 1)`],
    ['a deleted division', ({ ids }) => context.sql`delete from divisions where id = ${ids.divisions}`],
    [
      'deleted rights for a challenge',
      ({ ids }) => context.sql`delete from division_challenges where division_id = ${ids.divisions}`,
    ],
    [
      'a bought hint',
      ({ game, another, rival }) => context.sql`
        insert into hint_purchases (game_id, challenge_id, participation_id, hint_id, price, bought_at)
        values (${game.id}, ${another.id}, ${rival.participation.id}, gen_random_uuid(), 5, now())`,
    ],
    [
      'a found flag',
      ({ game, challenge, rival, first, otherFlag }) => context.sql`
        insert into found_flags (game_id, challenge_id, participation_id, flag_id, submission_id, found_at)
        values (${game.id}, ${challenge.id}, ${rival.participation.id}, ${otherFlag.id}, ${first.id}, now())`,
    ],
    ['a lost flag', ({ ids }) => context.sql`delete from found_flags where id = ${ids.found_flags}`],
    ['a deleted flag with points', ({ ids }) => context.sql`delete from flags where id = ${ids.flags}`],
    [
      'a new flag with points',
      ({ challenge }) => context.sql`insert into flags (challenge_id, flag, points) values (${challenge.id}, 'part three', 5)`,
    ],
    ['a deleted purchase', ({ ids }) => context.sql`delete from hint_purchases where id = ${ids.hint_purchases}`],
    ['a withdrawn award', ({ ids }) => context.sql`delete from awards where id = ${ids.awards}`],
    [
      'a deleted user',
      ({ ids, player }) =>
        context.sql.begin(async (sql) => {
          await sql`update teams set captain_id = ${(await sql<{ id: string }[]>`select id from users where id <> ${ids.users} limit 1`)[0]!.id} where id = ${player.team.id}`
          await sql`delete from users where id = ${ids.users}`
        }),
    ],
    ['a deleted game', ({ game }) => context.sql`delete from games where id = ${game.id}`],
  ])('%s', async (_what, change) => {
    const scene = await aScene()
    await expectSeen(scene, () => change(scene))
  })
})
