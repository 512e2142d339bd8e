import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { createChallengeFileText, createPackageZip, createZipFile } from '@capstan/api/challenges/archives/testing/zip'
import { aChallengeRow, aUserRow, createExportZip, createSettingRows } from '@capstan/api/challenges/imports/testing/ctfd-export'
import { startTestApp, type TestApp } from '@capstan/api/testing/app'
import { aGame } from '@capstan/api/testing/organizing-factories'
import { runCommandLine } from '@capstan/cli/run'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aFolder, aToken, createAppFetch, runCapstan, type Shell } from './testing/command.ts'

let context: TestApp
let shell: Shell
beforeAll(async () => {
  context = await startTestApp()
  shell = { send: createAppFetch(context), token: await aToken(context) }
})
afterAll(() => context.close())

function anArchive(content: Buffer) {
  const folder = aFolder()
  const file = path.join(folder.root, 'event.zip')
  writeFileSync(file, content)
  return { file, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

function anExport(name: string) {
  return anArchive(
    createExportZip({
      config: createSettingRows('users'),
      users: [aUserRow(1, { name, email: `${name}@example.org`, website: 'https://example.org' })],
      challenges: [aChallengeRow(1, { value: 33.5 })],
      flags: [{ id: 1, challenge_id: 1, type: 'static', content: 'flag{one}', data: '' }],
      submissions: [
        {
          id: 1,
          challenge_id: 1,
          user_id: 1,
          team_id: null,
          provided: 'flag{one}',
          type: 'correct',
          date: '2023-11-15T00:00:00',
        },
      ],
      solves: [{ id: 1, challenge_id: 1, user_id: 1, team_id: null }],
    }),
  )
}

async function countGames() {
  return (await context.sql`select count(*)::int as games from games`)[0]?.games as number
}

describe('an export of CTFd', () => {
  test('the command creates a game from an export and shows a report, but with --dry-run only shows the report', async () => {
    using given = anExport('wilma')
    const before = await countGames()
    const shown = await runCapstan(shell, 'import', '--dry-run', given.file)
    expect(shown.code).toBe(0)
    expect(shown.text).toContain(
      'users.website: left-out: Accounts do not have this field here. Keep the export if you need the data. [rows 1]',
    )
    expect(shown.text).toContain('wilma: 33.5 points in CTFd, 34 points here')
    expect(shown.text).toContain('1 new accounts (0 already exist), 1 teams, 1 challenges with 1 flags')
    expect(shown.text).toContain('1 of 1 teams have different points than in CTFd.')
    expect(await countGames()).toBe(before)

    const made = await runCapstan(shell, 'import', given.file)
    expect(made.code).toBe(0)
    const [game] = await context.sql`select id, hidden from games order by id desc limit 1`
    expect(game?.hidden).toBe(true)
    expect(made.text).toContain(`Imported as the hidden game ${game?.id}.`)
    expect(made.text).toContain('wilma: 33.5 points in CTFd, 34 points here')
  })

  test('the command prints the response of the platform if --json is given', async () => {
    using given = anExport('fred')
    const { code, text } = await runCapstan(shell, 'import', '--json', given.file)
    const report = JSON.parse(text.slice(text.indexOf('{')))
    expect([code, report]).toMatchObject([
      0,
      { gameId: expect.any(Number), title: 'Winter Games', counts: { users: 1, solves: 1 } },
    ])
  })

  test('an export is imported only after the user confirms the import at the terminal', async () => {
    using given = anExport('betty')
    const before = await countGames()
    const asked = async (answer: string, ...args: string[]) => {
      const questions: string[] = []
      const code = await runCommandLine(['import', ...args, given.file], {
        line: () => {},
        error: () => {},
        fetch: shell.send,
        ask: async (question) => {
          questions.push(question)
          return answer
        },
        environment: { CAPSTAN_URL: 'https://ctf.example.org', CAPSTAN_TOKEN: shell.token },
      })
      return { code, questions: questions.length, games: (await countGames()) - before }
    }
    expect(await asked('no')).toEqual({ code: 1, questions: 1, games: 0 })
    expect(await asked('yes')).toEqual({ code: 0, questions: 1, games: 1 })
    expect(await asked('no', '--yes')).toEqual({ code: 0, questions: 0, games: 2 })
  })

  test('an export is refused with a reason if it is invalid or the token lacks the right', async () => {
    using given = anArchive(createExportZip({ config: [], users: [] }))
    const refused = await runCapstan(shell, 'import', given.file)
    expect(refused.code).toBe(1)
    expect(refused.text).toContain('(400, import.archive): The archive is not a CTFd export')
    using nested = anArchive(createZipFile({ 'winter/db/config.json': '{}', 'winter/db/users.json': '{}' }))
    expect(await runCapstan(shell, 'import', nested.file)).toMatchObject({
      code: 1,
      text: expect.stringContaining('The export is in the folder `winter` of the archive. Pack the content of that folder'),
    })
    using good = anExport('barney')
    const before = await countGames()
    const narrow = { ...shell, token: await aToken(context, { scope: 'ReadGame' }) }
    const forbidden = await runCapstan(narrow, 'import', good.file)
    expect([forbidden.code, forbidden.text]).toEqual([1, expect.stringContaining('(403, ')])
    expect(forbidden.text).not.toContain(narrow.token)
    expect(await countGames()).toBe(before)
  })
})

test('the package of a game is imported as a new game, or its challenges are added to an existing game', async () => {
  using given = anArchive(createPackageZip({ title: 'By command' }))
  const made = await runCapstan(shell, 'import', given.file)
  expect([made.code, made.text]).toEqual([
    0,
    expect.stringMatching(/Imported as the hidden game \d+; its challenges are disabled\./),
  ])
  const { id } = await aGame(context.db)
  const added = await runCapstan(shell, 'import', '--game', String(id), given.file)
  expect([added.code, added.text]).toEqual([
    0,
    expect.stringContaining(`Imported 1 challenges into game ${id}; 0 are enabled. 0 were refused.`),
  ])
})

test('challenges of an archive are added to a game, and the exit code is 1 if a challenge is unreadable', async () => {
  const { id } = await aGame(context.db)
  using given = anArchive(
    createZipFile({ 'a/capstan.yaml': createChallengeFileText('Whole'), 'b/capstan.yaml': 'kind: Challenge\n' }),
  )
  const shown = await runCapstan(shell, 'import', '--dry-run', '--game', String(id), given.file)
  expect([shown.code, shown.text]).toEqual([1, expect.stringContaining('2 challenges, 1 refused')])
  const made = await runCapstan(shell, 'import', '--game', String(id), '--json', given.file)
  expect(made.code).toBe(1)
  expect(JSON.parse(made.text.slice(made.text.indexOf('{'))).challenges).toMatchObject([{ title: 'Whole' }])
})

test('a dry run reports the findings of an archive in groups, and the import applies the chosen repairs', async () => {
  const { id } = await aGame(context.db)
  const rcds = (name: string) =>
    `name: ${name}\nflag: flag{${name}}\nsortWeight: 1\ncontainers: { main: { image: a, ports: [80] } }\nexpose: { main: [{ target: 80, tcp: 1 }] }\n`
  using given = anArchive(createZipFile({ 'a/challenge.yaml': rcds('a'), 'b/challenge.yaml': rcds('b') }))
  const args = ['--game', String(id), given.file]
  const shown = await runCapstan(shell, 'import', '--dry-run', ...args)
  expect(shown.text).toContain(
    '2 × converted: The challenge is imported disabled. Test it, then enable it.\n  a/challenge.yaml:1: enabled',
  )
  expect(shown.text).toMatch(/\d notes need no action; --verbose prints them\./)
  const verbose = await runCapstan(shell, 'import', '--dry-run', '--verbose', ...args)
  expect(verbose.text).toContain('b/challenge.yaml:3: left-out: sortWeight: Players choose the order.')
  const made = await runCapstan(shell, 'import', '--enable-all', '--memory', '256', '--cpu', '0.5', ...args)
  expect(made.text).not.toContain('imported disabled')
  expect(made.text).toContain(`Imported 2 challenges into game ${id}; 2 are enabled. 0 were refused.`)
  const rows = await context.sql`select is_enabled, memory_mb, cpu_tenths from challenges where game_id = ${id}`
  expect(rows).toEqual([1, 2].map(() => ({ is_enabled: true, memory_mb: 256, cpu_tenths: 5 })))
})

test.each([
  [createZipFile({ 'a/capstan.yaml': createChallengeFileText('A') }), [], 2, 'Use --game to select the game'],
  [createPackageZip(), ['--dry-run'], 2, 'To preview a package, add --game'],
  [createExportZip({ config: [] }), ['--game', '1'], 2, '--game does not apply to an export of CTFd'],
  [createExportZip({ config: [] }), ['--enable-all'], 2, 'apply only to folders, and to archives with --game'],
  [createExportZip({ config: [] }), ['--overwrite'], 2, '--overwrite applies only to folders'],
  [Buffer.from('no zip'), [], 1, 'is not a zip file'],
])('wrong usage with an archive sends no request, case %#', async (content, args, code, why) => {
  using given = anArchive(content)
  const ran = await runCapstan({ ...shell, send: () => Promise.reject(new Error('sent')) }, 'import', ...args, given.file)
  expect([ran.code, ran.text]).toEqual([code, expect.stringContaining(why)])
})
