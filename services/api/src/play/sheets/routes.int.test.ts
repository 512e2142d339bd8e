import { strFromU8, unzipSync } from 'fflate'
import readExcelFile from 'read-excel-file/node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { aTeam, aUser, signInAsNewUser } from '../../testing/factories.ts'
import { lockTable } from '../../testing/lock-table.ts'
import { aChallenge, aGame, aParticipation, aSubmission } from '../../testing/organizing-factories.ts'
import { createBoardMaker } from '../scoreboard/board-maker.ts'

let context: TestApp
let monitor: TestClient
let admin: TestClient
beforeAll(async () => {
  context = await startTestApp()
  monitor = (await signInAsNewUser(context, 'Monitor')).client
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(() => context.close())

/** Reads the rows of the first sheet with an independent library. */
async function open(bytes: Buffer) {
  const [sheet] = await readExcelFile(bytes)
  return sheet!.data
}

describe('the scoreboard sheet', () => {
  test('the scoreboard sheet has a row for each team in order of rank, and a column for each challenge', async () => {
    const startsAt = new Date(Date.now() - 3600_000)
    const game = await aGame(context.db, {
      title: 'Fi/nals',
      startsAt,
      bloodBonus: 0,
      divisions: [{ name: 'open' }],
    })
    const web = await aChallenge(context.db, { gameId: game.id, category: 'Web', title: 'Shop', points: 300 })
    const misc = await aChallenge(context.db, { gameId: game.id, category: 'Misc', title: '=Sum', points: 200 })
    await aChallenge(context.db, { gameId: game.id, title: 'Hidden', isEnabled: false })
    const captain = await aUser(context.db, { userName: 'anna', realName: 'Anna', stdNumber: '=1', phone: '+49 1' })
    const mate = await aUser(context.db, { userName: 'ben', realName: '', stdNumber: 's2' })
    const strong = await aTeam(context.db, { name: '=cmd|x', captainId: captain.id, memberIds: [mate.id] })
    const first = await aParticipation(context.db, {
      gameId: game.id,
      teamId: strong.id,
      division: 'open',
      memberIds: [mate.id, captain.id],
    })
    const weak = await aTeam(context.db, { name: 'weak', captainId: (await aUser(context.db, { realName: 'Zoe' })).id })
    await aParticipation(context.db, { gameId: game.id, teamId: weak.id, memberIds: [] })
    await aParticipation(context.db, { gameId: game.id, status: 'Suspended' })
    const solvedAt = new Date(startsAt.getTime() + 60_000)
    await aSubmission(context.db, first, web.id, { solve: true, submittedAt: startsAt })
    await aSubmission(context.db, first, misc.id, { solve: true, submittedAt: solvedAt })

    const response = await monitor.inject({
      url: `/api/game/${game.id}/scoreboardsheet`,
      headers: { 'accept-language': 'de-DE' },
    })
    expect([response.statusCode, response.headers['content-type']]).toEqual([
      200,
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    ])
    expect(response.headers['content-disposition']).toMatch(/^attachment; filename="Fi_nals_Scoreboard_\d{14}\.xlsx"$/)
    const time = `${solvedAt.toISOString().slice(0, 19).replace('T', ' ')}Z`
    expect(await open(response.rawPayload)).toEqual([
      [
        'Rang',
        'Team',
        'Division',
        'Rang in der Division',
        'Kapitän',
        'Mitglieder',
        'Benutzernamen',
        'Matrikelnummern',
        'Telefonnummern',
        'Gelöst',
        'Letzte Lösung',
        'Punkte',
        "'=Sum",
        'Shop',
      ],
      [1, "'=cmd|x", 'open', 1, 'Anna', 'Anna / <empty>', 'anna / ben', "'=1 / s2", '+49 1 / <empty>', 2, time, 500, 200, 300],
      [2, 'weak', null, null, 'Zoe', null, null, null, null, 0, null, 0, 0, 0],
    ])
  })

  test('the scoreboard sheet has no column for divisions if the game has no divisions', async () => {
    const { gameId } = await aParticipation(context.db)
    const [header] = await open((await monitor.get(`/api/game/${gameId}/scoreboardsheet`)).rawPayload)
    expect(header).toEqual([
      'Rank',
      'Team',
      'Captain',
      'Members',
      'Usernames',
      'Student numbers',
      'Phone numbers',
      'Solved',
      'Last solve',
      'Score',
    ])
  })

  test('the scoreboard sheet contains awards, and contains email addresses only for admins', async () => {
    const game = await aGame(context.db, { bloodBonus: 0 })
    const captain = await aUser(context.db, { userName: 'cleo', email: '+cleo@example.org', realName: 'Cleo', stdNumber: 's1' })
    const mate = await aUser(context.db, { userName: 'dora', email: 'dora@example.org', realName: 'Dora "D"', stdNumber: '' })
    const team = await aTeam(context.db, { name: 'a;=1', captainId: captain.id, memberIds: [mate.id] })
    await aParticipation(context.db, { gameId: game.id, teamId: team.id, memberIds: [captain.id, mate.id] })
    for (const points of [50, -20])
      await admin.post(`/api/edit/games/${game.id}/awards`, { teamId: team.id, points, reason: 'A talk' })

    const header =
      'Rank,Team,Captain,Members,Usernames,Student numbers,Phone numbers,Email addresses,Solved,Last solve,Awards,Score'
    const csv = await admin.get(`/api/game/${game.id}/scoreboard.csv`)
    expect([csv.statusCode, csv.headers['content-type']]).toEqual([200, 'text/csv'])
    expect(csv.headers['content-disposition']).toMatch(/filename="A game_Scoreboard_\d{14}\.csv"$/)
    const people = `"Cleo","Cleo / Dora ""D""","cleo / dora","s1 / <empty>","<empty> / <empty>"`
    expect(csv.body.split('\r\n')).toEqual([
      `\uFEFF${header.replaceAll(/[^,]+/g, '"$&"')}`,
      `1,"a;'=1",${people},"'+cleo@example.org / dora@example.org",0,,30,30`,
      '',
    ])
    const xlsx = await open((await admin.get(`/api/game/${game.id}/scoreboardsheet`)).rawPayload)
    expect([xlsx[0], xlsx[1]?.[7]]).toEqual([header.split(','), "'+cleo@example.org / dora@example.org"])
    const monitored = await monitor.get(`/api/game/${game.id}/scoreboard.csv`)
    expect([monitored.statusCode, monitored.body.includes('example.org')]).toEqual([200, false])
  })

  test('an empty scoreboard sheet is refused with 400', async () => {
    const { gameId } = await aParticipation(context.db, { status: 'Pending' })
    const response = await monitor.get(`/api/game/${gameId}/scoreboardsheet`)
    expect([response.statusCode, response.json().code]).toEqual([400, 'scoreboard.empty'])
  })
})

test('the scoreboard sheet has a column for a hidden challenge that no team has unlocked', async () => {
  const game = await aGame(context.db)
  const open = await aChallenge(context.db, { gameId: game.id, title: 'Open' })
  const unlockRule = { after: [open.id], count: null, points: null, locked: 'Hidden' as const }
  await aChallenge(context.db, { gameId: game.id, title: 'Locked', unlockRule })
  await aParticipation(context.db, { gameId: game.id })
  const sheet = (await monitor.get(`/api/game/${game.id}/scoreboard.csv`)).body
  expect(sheet.split('\r\n')[0]).toMatch(/,"Locked","Open"$/)
})

test('a monitor downloads one scoreboard sheet at a time, twenty calls wait, and further calls are refused', async () => {
  const maker = createBoardMaker(context.deps)
  const gate = Promise.withResolvers<void>()
  const boardMaker = {
    ...maker,
    async make(order: Parameters<typeof maker.make>[0]) {
      await gate.promise
      return maker.make(order)
    },
  }
  const limited = await startTestApp({ config: { rateLimits: true }, deps: { boardMaker } })
  const { client } = await signInAsNewUser(limited, 'Monitor')
  const game = await aGame(limited.db)
  await aParticipation(limited.db, { gameId: game.id })
  let refused = 0
  const calls = Array.from({ length: 25 }, async () => {
    const { statusCode } = await client.get(`/api/game/${game.id}/scoreboard.csv`)
    if (statusCode === 429) refused += 1
    return statusCode
  })
  await expect.poll(() => refused, { timeout: 60_000 }).toBe(4)
  gate.resolve()
  const statuses = await Promise.all(calls)
  expect(statuses.filter((status) => status === 200)).toHaveLength(21)
  await limited.close()
})

test('an organizer runs each costly download only once at a time, twenty calls wait, and further calls are refused', async () => {
  const limited = await startTestApp({ config: { rateLimits: true, trustedProxies: true } })
  const { client } = await signInAsNewUser(limited, 'Admin')
  const game = await aGame(limited.db)
  const refusals: Record<string, number> = {}
  const of = `/api/game/${game.id}`
  const reads = ['scoreboardsheet', 'submissionsheet', 'submissions.csv'].map((name) => `${of}/${name}`)
  const answers = ['xlsx', 'csv', 'zip'].map((format) => `${of}/participations/answers.${format}`)
  const ofGame = [...reads, ...answers, `/api/edit/games/${game.id}/challenges/export`, `/api/admin/writeups/${game.id}/all`]
  const calledWhileLocked = [
    ...ofGame.map((path) => [path, 'games'] as const),
    ['/api/game/captures/1/1/all', 'captures'] as const,
  ]
  for (const [path, table] of calledWhileLocked) {
    const unlock = await lockTable(limited, table)
    let refused = 0
    const calls = Array.from({ length: 25 }, async () => {
      const { statusCode } = await client.get(path)
      if (statusCode === 429) refused += 1
    })
    await expect
      .poll(() => refused)
      .toBe(4)
      .catch(() => {})
    refusals[path] = refused
    await unlock()
    await Promise.all(calls)
  }
  await limited.close()
  expect(new Set(Object.values(refusals)), JSON.stringify(refusals)).toEqual(new Set([4]))
})

describe('the submissions sheet', () => {
  test('the submissions sheet lists every submission, newest first, and contains no formulas', async () => {
    const challenge = await aChallenge(context.db, { title: 'Heap' })
    const user = await aUser(context.db, { userName: 'anna', email: 'anna2@example.org' }).catch(() => aUser(context.db))
    const participation = await aParticipation(context.db, { gameId: challenge.gameId })
    const submittedAt = new Date('2030-01-02T03:04:05Z')
    await aSubmission(context.db, participation, challenge.id, { answer: '=1+1', userId: user.id, submittedAt })
    await aSubmission(context.db, participation, challenge.id, { answer: 'flag{<&>"}', status: 'Accepted', submittedAt })
    const response = await monitor.get(`/api/game/${challenge.gameId}/submissionsheet`)
    expect(response.headers['content-disposition']).toMatch(/filename="A game_Submissions_\d{14}\.xlsx"$/)
    expect(await open(response.rawPayload)).toEqual([
      ['Status', 'Time', 'Team', 'User', 'Challenge', 'Flag', 'Email'],
      ['Accepted', '2030-01-02 03:04:05Z', participation.team.name, null, 'Heap', 'flag{<&>"}', null],
      ['WrongAnswer', '2030-01-02 03:04:05Z', participation.team.name, user.userName, 'Heap', "'=1+1", user.email],
    ])
  })

  test('the CSV file of submissions has the same columns as the sheet', async () => {
    const challenge = await aChallenge(context.db, { title: '=Heap' })
    const participation = await aParticipation(context.db, { gameId: challenge.gameId })
    const submittedAt = new Date('2030-01-02T03:04:05Z')
    await aSubmission(context.db, participation, challenge.id, { answer: 'a"\n=1', submittedAt })
    const response = await monitor.get(`/api/game/${challenge.gameId}/submissions.csv`)
    expect(response.headers['content-disposition']).toMatch(/filename="A game_Submissions_\d{14}\.csv"$/)
    expect(response.body.split('\r\n')).toEqual([
      '\uFEFF"Status","Time","Team","User","Challenge","Flag","Email"',
      `"WrongAnswer","2030-01-02 03:04:05Z","${participation.team.name}",,"'=Heap","a""\n'=1",`,
      '',
    ])
  })

  test('the submissions sheet has text cells and a bold header', async () => {
    const challenge = await aChallenge(context.db)
    const participation = await aParticipation(context.db, { gameId: challenge.gameId })
    await aSubmission(context.db, participation, challenge.id, { answer: '@SUM(A1)' })
    const parts = unzipSync((await monitor.get(`/api/game/${challenge.gameId}/submissionsheet`)).rawPayload)
    const sheet = strFromU8(parts['xl/worksheets/sheet1.xml']!)
    expect(sheet).not.toContain('<f>')
    expect(strFromU8(parts['xl/styles.xml']!)).toContain('<b/>')
  })

  test('the submissions sheet has only a header row if there are no submissions', async () => {
    const { id } = await aGame(context.db)
    expect(await open((await monitor.get(`/api/game/${id}/submissionsheet`)).rawPayload)).toHaveLength(1)
  })
})
