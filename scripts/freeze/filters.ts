// Freeze filters: places in the sources that hide data during a freeze of the scoreboard.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: The strings are parts of sources.

export type FreezeFilter = Readonly<{
  /** Data that the filter hides, for example `later records`. */
  name: string
  file: string
  /** Source text of the filter, which occurs exactly once in the file. */
  text: string
  /** Source text that replaces the filter. */
  replacement: string
}>

const api = 'services/api/src'

function filtersOf(file: string, filters: readonly Omit<FreezeFilter, 'file'>[]): FreezeFilter[] {
  return filters.map((filter) => ({ file, ...filter }))
}

/** All freeze filters. `npm run mutate:freeze` removes each filter in turn. */
export const freezeFilters: readonly FreezeFilter[] = [
  ...filtersOf('services/contract/src/phases.ts', [
    {
      name: 'the freeze itself',
      text: 'return freeze !== null && now >= freeze && (revealed === null || now < revealed)',
      replacement: 'return false',
    },
  ]),
  ...filtersOf(`${api}/server/players/frozen-since.ts`, [
    {
      name: 'the freeze in services',
      text: 'return isFrozen(now, { freeze: freezeAt, revealed: revealedAt }) ? freezeAt : null',
      replacement: 'return null',
    },
  ]),
  ...filtersOf('services/db/src/known-status.ts', [
    {
      name: 'the freeze in queries',
      text: 'return sql<boolean>`coalesce(${frozen}, false)`',
      replacement: 'return sql<boolean>`false`',
    },
    {
      name: 'later reviews, in the status of a team',
      text: 'const isEarlier = lt(scoreRecords.time, instant)',
      replacement: 'const isEarlier = sql`true`',
    },
    {
      name: 'later teams and reviews, in lists of teams',
      text: "eq(scoreRecords.kind, 'participation'), lt(scoreRecords.time, instant)))",
      replacement: "eq(scoreRecords.kind, 'participation')))",
    },
  ]),
  ...filtersOf(`${api}/rules/scoring/records.ts`, [
    {
      name: 'all later records, on the board',
      text: 'return createFold(({ kind, time }) => time < end || !hiddenKinds.has(kind), renameDivision)',
      replacement: 'return createFold(() => true, renameDivision)',
    },
    ...['participation', 'solve', 'found', 'award', 'hint'].map((kind) => ({
      name: `later records of the kind "${kind}", on the board`,
      text: "new Set(['participation', 'solve', 'found', 'award', 'hint'])",
      replacement: `new Set(['participation', 'solve', 'found', 'award', 'hint'].filter((kind) => kind !== '${kind}'))`,
    })),
  ]),
  ...filtersOf(`${api}/rules/scoring/own-row.ts`, [
    {
      name: 'present values and bloods, in the own row',
      text: 'const solvedChallenges = present.solvedChallenges.map((solve) => frozenSolve(solve, hasPoints(solve.id)))',
      replacement: 'const { solvedChallenges } = present',
    },
    {
      name: 'the present score, in the own row',
      text: 'score: gained.reduce((sum, points) => sum + points, 0) - boughtHints.reduce((sum, { price }) => sum + price, 0),',
      replacement: '',
    },
    { name: 'the present rank, in the own row', text: 'rank: row?.rank ?? 0,', replacement: 'rank: present.rank,' },
    {
      name: 'the present rank on the list of a division, in the own row',
      text: 'organizationRank: row?.organizationRank ?? null,',
      replacement: 'organizationRank: present.organizationRank,',
    },
    {
      name: 'the present rank in a division, in the own row',
      text: 'divisionRank: row?.divisionRank ?? null,',
      replacement: 'divisionRank: present.divisionRank,',
    },
  ]),
  ...filtersOf(`${api}/rules/scoring/public-chain.ts`, [
    {
      name: 'later records, in the public chain',
      text: 'if (until && record.time >= until.getTime()) {',
      replacement: 'if (false) {',
    },
  ]),
  ...filtersOf(`${api}/play/public-chain/service.ts`, [
    {
      name: 'the freeze of the public chain',
      text: 'return freeze && (!revealed || now < revealed) ? freeze : undefined',
      replacement: 'return undefined',
    },
    {
      name: 'later unlocks of hidden challenges, in the public chain',
      text: 'repository.listListed(gameId, now, until)',
      replacement: 'repository.listListed(gameId, now, undefined)',
    },
  ]),
  ...filtersOf(`${api}/play/scoreboard/board-maker.ts`, [
    {
      name: 'the present board',
      text: 'return isFrozen(at, times) ? freeze : null',
      replacement: 'return null',
    },
    {
      name: 'later records of a replica whose clock is ahead',
      text: 'frozen?.hasHidden && now < freeze ? freeze : now',
      replacement: 'now',
    },
    {
      name: 'points of the live board, in unlocks by points',
      text: 'frozen ? standingsOf(full, facts, frozen) : full,',
      replacement: 'full,',
    },
    {
      name: 'later unlocks of hidden challenges, on the board',
      text: 'isStoredUnlock(source, unlock, frozenAt ?? undefined)',
      replacement: 'isStoredUnlock(source, unlock)',
    },
    {
      name: 'transaction numbers, in the version of the board',
      text: '...withFrozenVersion(frozen.built),',
      replacement: '...{ ...frozen.built.shown, history: { position, floor, changed } },',
    },
  ]),
  ...filtersOf(`${api}/play/scoreboard/service.ts`, [
    {
      name: 'the live board, in all calls of players',
      text: 'public: frozen ? createBoard(frozen, before?.public) : board }',
      replacement: 'public: board }',
    },
    {
      name: 'instants after the freeze, on the past board',
      text: '(board.frozenAt ?? clock.now()).getTime()',
      replacement: 'clock.now().getTime()',
    },
  ]),
  ...filtersOf(`${api}/play/scoreboard/routes.ts`, [
    {
      name: 'the live board, from all except monitors',
      text: 'if (refused) throw new Problem(refused)',
      replacement: '',
    },
  ]),
  ...filtersOf(`${api}/play/scoreboard/own-standing.ts`, [
    {
      name: 'the live row of the own team',
      text: 'if (shown === live || !present) return present',
      replacement: 'return present',
    },
  ]),
  ...filtersOf(`${api}/play/scoreboard/visible-challenges.ts`, [
    {
      name: 'present values and solve counts, in the challenges of a team',
      text: 'Object.entries(shown.allChallenges)',
      replacement: 'Object.entries(live.allChallenges)',
    },
  ]),
  ...filtersOf(`${api}/play/submissions/submit.ts`, [
    {
      name: 'pushed notices of bloods',
      text: 'noticeId !== null && !findFreezeInstant(player.game, row.submittedAt)',
      replacement: 'noticeId !== null',
    },
    {
      name: 'the number of all submissions, in the answer to a flag',
      text: 'return { id: number, status: statusShownToPlayer(status)',
      replacement: 'return { id, status: statusShownToPlayer(status)',
    },
  ]),
  ...filtersOf(`${api}/play/submissions/challenge-view.ts`, [
    {
      name: 'the present value of a challenge, on its page',
      text: "presentChallengeView(view, await scoreboards.read(gameId, 'public'), team)",
      replacement: "presentChallengeView(view, await scoreboards.read(gameId, 'live'), team)",
    },
  ]),
  ...filtersOf(`${api}/play/submissions/hint-purchase.ts`, [
    {
      name: 'the present score, in the purchase of a hint',
      text: 'const standing = boards && standingOfOwnTeam(player, boards)',
      replacement: 'const standing = boards && standingOfOwnTeam(player, { live: boards.live, public: boards.live })',
    },
  ]),
  ...filtersOf(`${api}/play/submissions/solve-points.ts`, [
    {
      name: 'value, blood and bonus, in the answer to a flag',
      text: 'if (findFreezeInstant(solve, clock.now())) {',
      replacement: 'if (false) {',
    },
    {
      name: 'the present value, in the answer to a flag',
      text: "const board = await scoreboards.read(gameId, 'public')",
      replacement: "const board = await scoreboards.read(gameId, 'live')",
    },
  ]),
  ...filtersOf(`${api}/play/submissions/repository.ts`, [
    {
      name: 'the number of all submissions, in the list of attempts',
      text: 'number: submissions.number,\n      answer: submissions.answer,',
      replacement: 'number: submissions.id,\n      answer: submissions.answer,',
    },
  ]),
  ...filtersOf(`${api}/play/submissions/submission-repository.ts`, [
    {
      name: 'times of later solves, in the time of an own solve',
      text: "solved_at < coalesce(asked.freeze_at, 'infinity')",
      replacement: 'true',
    },
    {
      name: 'the number of all bloods, in ids of notices',
      text: 'case when notice is not null then ${bloodNoticeId} end',
      replacement: "case when notice is not null then nextval('blood_notice_ids')::integer end",
    },
  ]),
  ...filtersOf(`${api}/games/awards/repository.ts`, [
    {
      name: 'the number of all awards, in the awards of a team',
      text: 'number: numberInTeam,',
      replacement: 'number: awards.id,',
    },
  ]),
  ...filtersOf(`${api}/games/notices/service.ts`, [
    {
      name: 'later notices of bloods',
      text: 'notices.listPage(game.id, findFreezeInstant(game, clock.now()), page)',
      replacement: 'notices.listPage(game.id, null, page)',
    },
  ]),
  ...filtersOf(`${api}/games/notices/repository.ts`, [
    {
      name: 'the time of a blood, in the list of notices',
      text: 'and(lt(notices.publishedAt, frozenSince), eq(sqlOfStatusBefore(frozenSince)',
      replacement: 'and(eq(sqlOfStatusBefore(frozenSince)',
    },
    {
      name: 'later reviews, in the list of notices',
      text: "eq(sqlOfStatusBefore(frozenSince), 'Accepted')",
      replacement: "eq(participations.status, 'Accepted')",
    },
  ]),
  ...filtersOf(`${api}/games/webhooks/repository.ts`, [
    {
      name: 'later solves and bloods, in webhooks',
      text: 'sql`not coalesce(${isHidden}, false)`',
      replacement: 'undefined',
    },
  ]),
  ...filtersOf(`${api}/games/editing/service.ts`, [
    {
      name: 'later teams, on the page of a game',
      text: 'waitingPlace: null, hasCertificates: false, ...(await countTeamsBeforeInstant(db, game, freezeAt)) }',
      replacement:
        'waitingPlace: null, hasCertificates: false, ...(await countTeamsBeforeInstant(db, game, freezeAt)), teamCount }',
    },
    {
      name: 'free places, on the page of a game',
      text: '...(await countTeamsBeforeInstant(db, game, freezeAt)) }',
      replacement: '...(await countTeamsBeforeInstant(db, game, freezeAt)), freePlaces: await countFreePlaces(db, game) }',
    },
    {
      name: 'the place on the waiting list',
      text: 'return { ...common, waitingPlace: null,',
      replacement: 'return { ...common, waitingPlace: (own && (await readWaitingListPositions(db, id)).get(own.id)) ?? null,',
    },
  ]),
  ...filtersOf(`${api}/games/participations/service.ts`, [
    {
      name: 'a team that leaves the game',
      text: 'if (await repository.isOnFrozenBoard(participation.id, clock.now()))',
      replacement: 'if (false)',
    },
  ]),
  ...filtersOf(`${api}/people/teams/repository.ts`, [
    {
      name: 'a team that its captain disbands',
      text: 'where(and(eq(participations.teamId, id), isOnFrozenBoard(now)))',
      replacement: 'where(sql`false`)',
    },
    {
      name: 'a member who leaves a team of the game',
      text: 'not(isOnFrozenBoard(now)),',
      replacement: '',
    },
    {
      name: 'the lock of a team that joins',
      text: 'case when ${anyFrozen} then ${isAccepted} else ${locked} end',
      replacement: '${locked}',
    },
    {
      name: 'the lock of a team that is accepted or rejected',
      text: "gte(games.endsAt, now), eq(sqlOfKnownStatus(now), 'Accepted')",
      replacement: "gte(games.endsAt, now), eq(participations.status, 'Accepted')",
    },
  ]),
  ...filtersOf(`${api}/people/teams/service.ts`, [
    {
      name: 'the lock of a team, on its page',
      text: 'return { ...team, locked: await createTeamRepository(deps.db).isKnownToBeLocked(team, deps.clock.now()) }',
      replacement: 'return team',
    },
  ]),
  ...filtersOf(`${api}/play/profiles/service.ts`, [
    {
      name: 'the final standing, on public pages',
      text: 'if (final && isOver && !isFrozen) {',
      replacement: 'if (final && isOver) {',
    },
    {
      name: 'the live board, in standings on public pages',
      text: "return scoreboards.read(gameId, 'public')",
      replacement: "return scoreboards.read(gameId, 'live')",
    },
    {
      name: 'the live board, in counts on public pages',
      text: "const board = await scoreboards.read(gameId, 'public')",
      replacement: "const board = await scoreboards.read(gameId, 'live')",
    },
    {
      name: 'the present division, on public pages',
      text: 'const division = isFrozen ? (standing?.organization ?? null) : row.division',
      replacement: 'const { division } = row',
    },
  ]),
  ...filtersOf(`${api}/play/profiles/repository.ts`, [
    {
      name: 'later reviews, on public pages',
      text: "eq(sqlOfKnownStatus(now), 'Accepted'),\n      eq(games.hidden, false),",
      replacement: "eq(participations.status, 'Accepted'),\n      eq(games.hidden, false),",
    },
    {
      name: 'the best rank, on public pages',
      text: ' and not ${isFrozenInSql(now)})`',
      replacement: ')`',
    },
    {
      name: 'stored solves, in counts on public pages',
      text: 'not(isFrozenInSql(now)),',
      replacement: '',
    },
    {
      name: 'later reviews, in the list of closed pages',
      text: "inArray(participations.gameId, [...new Set(gameIds)]),\n            eq(sqlOfKnownStatus(now), 'Accepted'),",
      replacement: "inArray(participations.gameId, [...new Set(gameIds)]),\n            eq(participations.status, 'Accepted'),",
    },
  ]),
  ...filtersOf(`${api}/play/certificates/service.ts`, [
    {
      name: 'certificates',
      text: "if (findFreezeInstant(game, deps.clock.now())) throw new Problem('certificate.frozen')",
      replacement: '',
    },
  ]),
  ...filtersOf(`${api}/play/game-archive/service.ts`, [
    { name: 'the archive', text: "if (findFreezeInstant(game, now)) throw new Problem('game.frozen')", replacement: '' },
  ]),
  ...filtersOf(`${api}/play/feeds/routes.ts`, [
    {
      name: 'the live board, in badges and embedded pages',
      text: "await app.scoreboards.read(game.id, 'public')",
      replacement: "await app.scoreboards.read(game.id, 'live')",
    },
  ]),
]

/** Returns the source without the filter. @throws unless the text of the filter occurs exactly once */
export function removeFreezeFilter(source: string, { name, file, text, replacement }: FreezeFilter): string {
  const parts = source.split(text)
  if (parts.length !== 2) throw new Error(`${file} contains the text of the filter "${name}" ${parts.length - 1} times`)
  return parts.join(replacement)
}
