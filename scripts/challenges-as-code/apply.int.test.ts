import { startTestApp, type TestApp } from '@capstan/api/testing/app'
import { isFullRun } from '@capstan/api/testing/full-run'
import { aGame, aParticipation, aSubmission } from '@capstan/api/testing/organizing-factories'
import { findGameForName, type PresentGame, readPlatformGame } from '@capstan/cli/plan/read-platform'
import { connectToPlatform } from '@capstan/cli/platform'
import { pickFieldsToCompare } from '@capstan/cli/state/challenge-fields'
import { settingsOfGame } from '@capstan/cli/state/game-state'
import { operations, ownOperations } from '@capstan/contract/operations'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aFolder, aToken, createAppFetch, createFetchKilledAfterWrites, runCapstan, type Shell } from './testing/command.ts'
import { addPosterFile, createExampleGameFiles, createSmallGameFiles, environment, secrets } from './testing/example-game.ts'

let context: TestApp
let shell: Shell
beforeAll(async () => {
  context = await startTestApp()
  shell = { send: createAppFetch(context), token: await aToken(context), environment }
})
afterAll(() => context.close())

function platform() {
  return connectToPlatform({ url: 'https://ctf.example.org', token: shell.token }, shell.send)
}

async function present(name: string): Promise<PresentGame> {
  const id = await findGameForName(platform(), name)
  if (id === undefined) throw new Error(`There is no game ${name}`)
  return readPlatformGame(platform(), id)
}

/** Returns what players and organizers see of a game, without ids and random values. */
async function visible(name: string) {
  const found = await present(name)
  const { challenges, source } = found
  const nameOf = (wanted: number) => challenges.find(({ id }) => id === wanted)?.source?.name
  return {
    game: { ...settingsOfGame(found), title: '' },
    name: source.name?.length,
    challenges: challenges.map(({ challenge, source: file }) => ({
      ...pickFieldsToCompare(challenge),
      unlock: challenge.unlock && { ...challenge.unlock, after: challenge.unlock.after.map(nameOf) },
      flags: challenge.flags.map(({ flag, file: own }) => [flag.replace(/mark_[0-9a-f]{12}/, 'mark'), own !== null]),
      type: challenge.type,
      file: file?.name,
    })),
  }
}

async function challengeOf(game: string, name: string) {
  const found = (await present(game)).challenges.find(({ source }) => source?.name === name)
  if (!found) throw new Error(`There is no challenge ${name}`)
  return found
}

/** Writes the files of a game with this name into a folder and applies them. */
async function anApplied(name: string, files = createExampleGameFiles(name)) {
  const folder = aFolder(files)
  expect(await runCapstan(shell, 'apply', folder.root)).toMatchObject({ code: 0 })
  return folder
}

async function planCode(root: string, ...args: string[]) {
  const { code, text } = await runCapstan(shell, 'plan', ...args, root)
  return { code, text }
}

describe('the command `capstan apply`', () => {
  test('creates everything in the files, and a second run changes nothing', async () => {
    using folder = aFolder(addPosterFile(createExampleGameFiles('whole')))
    expect((await planCode(folder.root)).code).toBe(2)
    const { code, text } = await runCapstan(shell, 'apply', folder.root)
    expect({ code, text }).toMatchObject({ code: 0 })
    const { game, challenges } = await visible('whole')
    expect(game).toMatchObject({
      hidden: false,
      summary: 'A weekend at sea.',
      description: '# Rules\n\nBe kind.\n',
      starts: '2026-10-10T10:00:00.000Z',
      ends: '2026-10-11T08:00:00.000Z',
      writeupsDeadline: '2026-10-11T08:00:00.000Z',
      inviteCode: secrets.inviteCode,
      divisions: [
        { name: 'Open', inviteCode: null },
        { name: 'Cadets', inviteCode: secrets.divisionCode },
      ],
      divisionRights: [
        { name: 'Cadets', rights: ['join', 'see', 'submit', 'points'], challenges: { knots: ['see'] } },
        {
          name: 'Open',
          rights: ['join', 'rank', 'review', 'see', 'submit', 'points', 'bloods', 'value'],
          challenges: {},
        },
      ],
      teamSize: 4,
      bloodBonus: 75 * 1024 * 1024,
      bloodPoints: { first: 50, second: 0, third: 10 },
      registrationOpens: '2026-09-01T10:00:00.000Z',
      registrationCloses: null,
      teamLimit: 64,
      survey: 'Anonymous',
      certificate: {
        ...{ isEnabled: true, title: 'Certificate', text: '# {team}\nPlace {rank}\n', participationText: '{team} took part' },
        ...{ signer: 'The crew', paper: 'Letter', orientation: 'landscape', language: 'en-US' },
      },
      questions: [
        { scope: 'Team', kind: 'Choice', title: 'Shirt size', help: '', required: true, options: ['S', 'M'] },
        { scope: 'Member', kind: 'ShortText', title: 'Diet', help: 'For the dinner.', required: false, options: [] },
      ],
    })
    expect(game.poster).toMatch(/^[0-9a-f]{64}$/)
    const { divisions } = await present('whole')
    const open = divisions.find(({ name }) => name === 'Open')?.id ?? 0
    // The division has no stored permissions, so the review rule of the game applies to it.
    expect(await context.sql`select permissions from divisions where id = ${open}`).toEqual([{ permissions: null }])
    const byName = Object.fromEntries(challenges.map((challenge) => [challenge.file, challenge]))
    expect(byName.knots).toMatchObject({
      type: 'StaticAttachment',
      enabled: true,
      points: 300,
      tags: ['rope-work', 'Knots'],
      difficulty: 'easy',
      curve: 'linear',
      isValueFixed: true,
      bloods: false,
      unlock: { after: ['ropes'], count: null, points: 200, locked: 'Hidden' },
      hints: [
        { text: 'Look *twice*.', price: 0 },
        { text: 'Pull.', price: 20 },
      ],
      flags: [[secrets.flag, false]],
      attachment: { name: 'knots.zip' },
    })
    expect(byName.knots?.description).toMatch(
      /^What is this\?\n\n!\[a knot\]\(\/assets\/[0-9a-f]{64}\/knot\.png "Knot"\)\n\n!\[elsewhere\]\(https:\/\/example\.org\/a\.png\)\n$/,
    )
    expect(byName.ropes).toMatchObject({
      type: 'StaticContainer',
      port: 8080,
      cpuTenths: 3,
      reach: { speaks: 'http', isGuarded: true },
      flags: [
        [secrets.environmentFlag, false],
        [`(?i)${secrets.pattern}`, false],
        ['flag{Any_Case}', false],
      ],
      secrets: ['KEY'],
      command: ['/bin/serve'],
      environment: [{ name: 'MODE', value: 'hard' }],
      flagPlaces: { variables: ['ROPE_FLAG'], file: { path: '/flag.txt', owner: 1000 } },
      user: 1000,
      readOnlyRoot: true,
      writablePaths: [{ path: '/tmp', sizeMb: 8 }],
      egress: 'None',
      furtherPorts: [9090],
      readiness: { port: 9090, path: '/healthz' },
      startTimeoutSeconds: 60,
    })
    expect((await challengeOf('whole', 'ropes')).challenge.flags.map(({ kind }) => kind)).toEqual([
      undefined,
      'Pattern',
      'Caseless',
    ])
    expect(text).not.toContain('no place')
    expect(byName.anchor).toMatchObject({ type: 'DynamicContainer', template: secrets.template, capture: true, enabled: false })
    expect(byName.chart).toMatchObject({
      type: 'DynamicAttachment',
      attachmentName: 'chart.txt',
      flags: Array.from({ length: 3 }, () => ['flag{by_the_mark}', true]),
    })
    expect(await planCode(folder.root)).toMatchObject({ code: 0, text: expect.stringContaining('No changes.') })
  })

  test('writes nothing if nothing has changed', async () => {
    using folder = await anApplied('twice')
    const written: string[] = []
    const send: typeof fetch = async (input, init) => {
      if (init?.method !== 'GET') written.push(`${init?.method} ${String(input)}`)
      return shell.send(input, init)
    }
    expect(await runCapstan({ ...shell, send }, 'apply', folder.root)).toMatchObject({ code: 0 })
    expect(written).toEqual([])
  })

  test('writes only changed fields and uploads only changed files', async () => {
    using folder = await anApplied('change')
    folder.put('misc/knots/capstan.yaml', folder.read('misc/knots/capstan.yaml').replace('points: 300', 'points: 250'))
    const plan = await planCode(folder.root)
    expect(plan).toMatchObject({ code: 2, text: expect.stringContaining('points: 300 → 250') })
    const made: string[] = []
    const send: typeof fetch = async (input, init) => {
      if (init?.method !== 'GET') made.push(`${init?.method} ${new URL(String(input)).pathname.replace(/\d+/g, 'N')}`)
      return shell.send(input, init)
    }
    expect(await runCapstan({ ...shell, send }, 'apply', folder.root)).toMatchObject({ code: 0 })
    expect(made).toEqual(['PUT /api/edit/games/N/challenges/N/whole'])
    expect((await challengeOf('change', 'knots')).challenge.points).toBe(250)
  })

  test('creates a challenge in one request', async () => {
    using folder = aFolder({ 'capstan.yaml': createExampleGameFiles('single')['pwn/anchor/capstan.yaml'] ?? '' })
    const { id } = await aGame(context.db)
    const requestsOf = async (command: 'plan' | 'apply') => {
      const requests: string[] = []
      const send: typeof fetch = async (input, init) => {
        requests.push(`${init?.method} ${new URL(String(input)).pathname.replace(/\d+/g, 'N')}`)
        return shell.send(input, init)
      }
      await runCapstan({ ...shell, send }, command, '--game', String(id), folder.root)
      return requests
    }
    // The command `apply` first makes the same requests as the command `plan`.
    const planned = await requestsOf('plan')
    expect((await requestsOf('apply')).slice(planned.length)).toEqual(['POST /api/edit/games/N/challenges/sources'])
    expect(await planCode(folder.root, '--game', String(id))).toMatchObject({ code: 0 })
  })

  test('refuses challenges that wait for each other, and applies all others', async () => {
    const anchor = String(createExampleGameFiles('cycle')['pwn/anchor/capstan.yaml'])
    const challengeAfter = (name: string, others: string) =>
      `${anchor.replace('name: anchor', `name: ${name}`).replace('Anchor', name)}unlock: { after: [${others}] }\n`
    using folder = aFolder({
      'a/capstan.yaml': challengeAfter('first', 'second'),
      'b/capstan.yaml': challengeAfter('second', 'first'),
      'c/capstan.yaml': challengeAfter('third', 'anchor'),
      'd/capstan.yaml': anchor,
    })
    const { id } = await aGame(context.db)
    expect(await runCapstan(shell, 'apply', '--game', String(id), folder.root)).toMatchObject({
      code: 1,
      text: expect.stringMatching(
        /b\/capstan\.yaml: second: .*prerequisite first was[\s\S]*a\/capstan\.yaml: first: .*prerequisite second was/,
      ),
    })
    const { challenges } = await readPlatformGame(platform(), id)
    expect(challenges.map(({ source }) => source?.name)).toEqual(['anchor', 'third'])
  })

  test('prints no secret', async () => {
    using folder = aFolder(createExampleGameFiles('quiet'))
    const texts = [await runCapstan(shell, 'plan', folder.root), await runCapstan(shell, 'plan', '--json', folder.root)]
    texts.push(await runCapstan(shell, 'apply', folder.root))
    folder.put('misc/knots/capstan.yaml', folder.read('misc/knots/capstan.yaml').replace(secrets.flag, 'flag{other_secret}'))
    folder.put('capstan.yaml', folder.read('capstan.yaml').replace(secrets.divisionCode, 'other-secret'))
    folder.put('pwn/anchor/capstan.yaml', folder.read('pwn/anchor/capstan.yaml').replace('over_the_bow', 'other_secret'))
    texts.push(await runCapstan(shell, 'plan', folder.root), await runCapstan(shell, 'plan', '--json', folder.root))
    texts.push(await runCapstan(shell, 'apply', '--json', folder.root), await runCapstan(shell, 'pull', folder.root))
    texts.push(await runCapstan({ ...shell, token: `${shell.token}x` }, 'plan', folder.root))
    const printed = texts.map(({ text }) => text).join('\n')
    for (const secret of [...Object.values(secrets), shell.token, 'other_secret', 'other-secret'])
      expect(printed).not.toContain(secret)
  })

  test('a second `capstan apply` completes the work of a first `capstan apply` that was killed', async () => {
    using _whole = await anApplied('k-whole', createSmallGameFiles('k-whole'))
    const wanted = await visible('k-whole')
    expect(wanted.challenges).toHaveLength(3)
    let writes = 1
    for (; ; writes += isFullRun ? 1 : 5) {
      const name = `k-${String(writes).padStart(5, '0')}`
      using folder = aFolder(createSmallGameFiles(name))
      const { code } = await runCapstan(
        { ...shell, send: createFetchKilledAfterWrites(shell.send, writes) },
        'apply',
        folder.root,
      )
      if (code === 0) break
      expect(await runCapstan(shell, 'apply', folder.root), `killed after ${writes} writes`).toMatchObject({ code: 0 })
      expect(await visible(name), `killed after ${writes} writes`).toEqual(wanted)
      expect(await planCode(folder.root), `killed after ${writes} writes`).toMatchObject({ code: 0 })
    }
    // A complete run needs at least four writes for the game, one write for each of its three challenges, and five writes for files.
    expect(writes).toBeGreaterThanOrEqual(12)
    const doubles =
      await context.sql`select title from games where title like 'Autumn Cup k-%' group by title having count(*) > 1`
    expect([...doubles]).toEqual([])
  })

  test('does not report changes by an interrupted run as if a user had made them on the platform', async () => {
    using folder = await anApplied('resume')
    const file = 'misc/knots/capstan.yaml'
    folder.put(file, folder.read(file).replace(secrets.flag, 'flag{another}').replace('points: 300', 'points: 10'))
    for (let writes = 1; ; writes++) {
      const { code, text } = await runCapstan(
        { ...shell, send: createFetchKilledAfterWrites(shell.send, writes) },
        'apply',
        folder.root,
      )
      expect(text).not.toContain('changed on the platform')
      if (code === 0) break
    }
    const { challenge } = await challengeOf('resume', 'knots')
    expect(challenge).toMatchObject({ points: 10, enabled: true, flags: [{ flag: 'flag{another}', file: null }] })
  })

  test('lists changes made on the platform, and overwrites them only with --overwrite', async () => {
    using folder = await anApplied('conflict')
    const known = await challengeOf('conflict', 'knots')
    const { game } = await present('conflict')
    const params = { id: game.id, cid: known.id }
    await platform().call(operations.updateChallenge, { params, body: { title: 'Knots and bends' } })
    const refused = await runCapstan(shell, 'apply', folder.root)
    expect(refused).toMatchObject({ code: 1, text: expect.stringContaining('knots: title was changed on the platform') })
    expect((await challengeOf('conflict', 'knots')).challenge.title).toBe('Knots and bends')
    expect((await planCode(folder.root)).text).toContain('"Knots and bends" → "Knots" (changed on the platform')
    expect(await runCapstan(shell, 'apply', '--overwrite', folder.root)).toMatchObject({ code: 0 })
    expect((await challengeOf('conflict', 'knots')).challenge.title).toBe('Knots')
  })

  test('deletes a challenge without a file only if --prune is given and no team has solved it', async () => {
    using folder = await anApplied('prune')
    const knots = await challengeOf('prune', 'knots')
    const { game } = await present('prune')
    await platform().call(operations.createChallenge, { params: { id: game.id }, body: { title: 'By hand' } })
    await aSubmission(context.db, await aParticipation(context.db, { gameId: game.id }), knots.id, { solve: true })
    await context.sql`update challenges set accepted_count = 1 where id = ${knots.id}`
    folder.remove('misc')
    folder.remove('pwn')
    const names = async () => (await present('prune')).challenges.map(({ challenge }) => challenge.title).sort()
    expect(await planCode(folder.root)).toMatchObject({ code: 0, text: expect.stringContaining('use --prune to delete it') })
    expect(await runCapstan(shell, 'apply', folder.root)).toMatchObject({ code: 0 })
    expect(await names()).toEqual(['Anchor', 'By hand', 'Chart', 'Knots', 'Ropes'])
    expect(await runCapstan(shell, 'apply', '--prune', folder.root)).toMatchObject({
      code: 1,
      text: expect.stringContaining('Teams have solved this challenge'),
    })
    expect(await names()).toEqual(['By hand', 'Chart', 'Knots', 'Ropes'])
    await context.sql`update challenges set accepted_count = 0 where id = ${knots.id}`
    expect((await planCode(folder.root, '--prune')).code).toBe(2)
    expect(await runCapstan(shell, 'apply', '--prune', folder.root)).toMatchObject({
      code: 0,
      text: expect.stringContaining('- challenge knots "Knots": its file was deleted'),
    })
    expect(await names()).toEqual(['By hand', 'Chart', 'Ropes'])
  })

  test('retains the rights of a division if the file mentions no rights', async () => {
    using folder = await anApplied('rights')
    const { game, challenges, divisions } = await present('rights')
    const params = { id: game.id, did: divisions.find(({ name }) => name === 'Open')?.id ?? 0 }
    const byHand = await platform().call(operations.createChallenge, {
      params: { id: game.id },
      body: { title: 'By hand', category: 'Misc', type: 'StaticAttachment' },
    })
    const ropes = challenges.find(({ source }) => source?.name === 'ropes')?.id ?? 0
    const challengeConfigs = [byHand.id, ropes].map((challengeId) => ({ challengeId, permissions: 256 }))
    await platform().call(ownOperations.updateDivision, { params, body: { defaultPermissions: 257, challengeConfigs } })
    expect((await planCode(folder.root)).code).toBe(0)
    folder.put('capstan.yaml', folder.read('capstan.yaml').replace('- name: Open', '- name: Open\n    rights: [join, rank]'))
    const changed = await planCode(folder.root)
    expect(changed).toMatchObject({ code: 2, text: expect.stringContaining('~ divisionRights') })
    expect(await runCapstan(shell, 'apply', '--overwrite', folder.root)).toMatchObject({ code: 0 })
    const [open] = (await present('rights')).divisions.filter(({ name }) => name === 'Open')
    expect(open).toMatchObject({ defaultPermissions: 3 })
    expect(new Set(open?.challengeConfigs)).toEqual(new Set(challengeConfigs))
  })

  test('does not change the review of teams if the file contains no rights for a division', async () => {
    const files = createExampleGameFiles('reviewed')
    const text = String(files['capstan.yaml']).replace('teamSize: 4', 'teamSize: 4\nacceptWithoutReview: true')
    using folder = await anApplied('reviewed', { ...files, 'capstan.yaml': text })
    const { game, divisions } = await present('reviewed')
    expect(divisions.find(({ name }) => name === 'Open')?.defaultPermissions).toBe(2 ** 31 - 1 - 4)
    using pulled = aFolder()
    expect(await runCapstan(shell, 'pull', '--game', String(game.id), pulled.root)).toMatchObject({ code: 0 })
    expect(pulled.read('capstan.yaml')).toContain('divisions:\n  - name: Open\n  - name: Cadets\n')
    folder.put('capstan.yaml', text.replace('acceptWithoutReview: true', 'acceptWithoutReview: false'))
    expect(await runCapstan(shell, 'apply', folder.root)).toMatchObject({ code: 0 })
    expect(await context.sql`select name, permissions from divisions where game_id = ${game.id} order by name`).toEqual([
      { name: 'Cadets', permissions: 1 + 256 + 512 + 1024 },
      { name: 'Open', permissions: null },
    ])
  })

  test('`capstan apply` creates no game if the certificate text contains an unknown placeholder', async () => {
    const files = createExampleGameFiles('sealed')
    using folder = aFolder(files)
    folder.put('capstan.yaml', folder.read('capstan.yaml').replace('Place {rank}', 'Place {place}'))
    const refused = await runCapstan(shell, 'apply', folder.root)
    expect(refused.code).not.toBe(0)
    expect(refused.text).toContain('certificate: {place} is not a placeholder.')
    expect(await findGameForName(platform(), 'sealed')).toBeUndefined()
  })

  test('does not change the survey if the file contains no survey, and a pull writes the survey into the file', async () => {
    using folder = await anApplied('surveyed')
    folder.put('capstan.yaml', folder.read('capstan.yaml').replace(/^survey: .*\n/m, ''))
    expect(await planCode(folder.root)).toMatchObject({ code: 0 })
    expect((await visible('surveyed')).game).toMatchObject({ survey: 'Anonymous' })
    folder.put('capstan.yaml', `${folder.read('capstan.yaml')}survey: Off\n`)
    expect(await runCapstan(shell, 'apply', folder.root)).toMatchObject({ code: 0 })
    expect((await visible('surveyed')).game).toMatchObject({ survey: 'Off' })
    await context.sql`update games set survey = 'Named' where title = 'Autumn Cup surveyed'`
    expect(await runCapstan(shell, 'pull', folder.root)).toMatchObject({ code: 0 })
    expect(folder.read('capstan.yaml')).toContain('survey: Named\n')
  })

  test('refuses rights for a challenge that does not exist', async () => {
    using folder = await anApplied('unknown')
    folder.put('capstan.yaml', folder.read('capstan.yaml').replace('knots: [see]', 'knot: [see]'))
    expect(await planCode(folder.root)).toMatchObject({ code: 1, text: expect.stringContaining('no challenge has this name') })
  })

  test('`capstan apply` refuses a changed challenge type, but updates all other challenges', async () => {
    using folder = await anApplied('type')
    const file = 'pwn/anchor/capstan.yaml'
    folder.put(file, folder.read(file).replace('template:', 'text:').replace('description: Heavy.', 'description: Light.'))
    const others = 'misc/knots/capstan.yaml'
    folder.put(others, folder.read(others).replace('points: 300', 'points: 200'))
    expect(await runCapstan(shell, 'apply', folder.root)).toMatchObject({
      code: 1,
      text: expect.stringMatching(
        /not applied: pwn\/anchor\/capstan\.yaml: Anchor: .* cannot change[\s\S]*except for what is listed above/,
      ),
    })
    expect((await challengeOf('type', 'anchor')).challenge.description).toBe('Heavy.')
    expect((await challengeOf('type', 'knots')).challenge.points).toBe(200)
  })

  test('applies only the chosen challenges', async () => {
    using folder = await anApplied('chosen')
    const [knots, anchor] = ['misc/knots/capstan.yaml', 'pwn/anchor/capstan.yaml']
    folder.put(knots, folder.read(knots).replace('points: 300', 'points: 200'))
    folder.put(anchor, folder.read(anchor).replace('description: Heavy.', 'description: Light.'))
    folder.put('capstan.yaml', folder.read('capstan.yaml').replace('teamSize: 4', 'teamSize: 5'))
    expect(await runCapstan(shell, 'apply', '--prune', '--only', 'misc/*', folder.root)).toMatchObject({ code: 0 })
    expect((await challengeOf('chosen', 'knots')).challenge.points).toBe(200)
    expect((await challengeOf('chosen', 'anchor')).challenge.description).toBe('Heavy.')
    expect(settingsOfGame(await present('chosen')).teamSize).toBe(4)
  })

  test('applies the valid files and deletes nothing if one file has faults', async () => {
    using folder = await anApplied('faulty')
    const [knots, anchor] = ['misc/knots/capstan.yaml', 'pwn/anchor/capstan.yaml']
    folder.put(anchor, folder.read(anchor).replace('category: Pwn', 'category: Boats'))
    folder.put(knots, folder.read(knots).replace('points: 300', 'points: 200'))
    expect(await runCapstan(shell, 'apply', '--prune', folder.root)).toMatchObject({
      code: 1,
      text: expect.stringContaining('not applied: pwn/anchor/capstan.yaml'),
    })
    expect((await challengeOf('faulty', 'anchor')).challenge.category).toBe('Pwn')
    expect((await challengeOf('faulty', 'knots')).challenge.points).toBe(200)
  })

  test('applies a game with a token that has only the right to write its challenges', async () => {
    using folder = await anApplied('own')
    const { game } = await present('own')
    const token = await aToken(context, { scope: 'WriteChallenges', gameId: game.id })
    folder.put('capstan.yaml', folder.read('capstan.yaml').replace('teamSize: 4', 'teamSize: 5'))
    expect(await runCapstan({ ...shell, token }, 'apply', folder.root)).toMatchObject({ code: 0 })
    expect(settingsOfGame(await present('own')).teamSize).toBe(5)
    const reader = await aToken(context, { scope: 'ReadGame', gameId: game.id })
    expect(await runCapstan({ ...shell, token: reader }, 'plan', folder.root)).toMatchObject({ code: 0 })
    folder.put('capstan.yaml', folder.read('capstan.yaml').replace('teamSize: 5', 'teamSize: 6'))
    expect(await runCapstan({ ...shell, token: reader }, 'apply', folder.root)).toMatchObject({
      code: 1,
      text: expect.stringContaining('token.scope'),
    })
  })
})

test('a contradictory or forbidden setting of a container is refused, and the message names its field', async () => {
  const file = 'web/ropes/capstan.yaml'
  using folder = await anApplied('contradicts')
  const text = folder.read(file)
  folder.put(file, text.replace('port: 9090 }', 'port: 9091 }'))
  expect(await planCode(folder.root)).toMatchObject({
    code: 1,
    text: expect.stringContaining('container.readiness.port: The container does not have this port.'),
  })
  folder.put(file, text.replace('egress: false', 'exposure: NodePort'))
  expect(await planCode(folder.root)).toMatchObject({
    code: 1,
    text: expect.stringContaining('container.exposure: The platform does not allow it.'),
  })
  folder.put(file, text.replace('speaks: http', 'speaks: tcp'))
  expect(await planCode(folder.root)).toMatchObject({ code: 1, text: expect.stringContaining('`guarded` needs `speaks: http`') })
})

describe('secrets of a container', () => {
  const storedSecrets = async (name: string): Promise<unknown> => {
    const known = await challengeOf(name, 'ropes')
    const [row] = await context.sql`select container_secrets from challenges where id = ${known.id}`
    return row?.container_secrets
  }
  const { ROPES_KEY: _key, ...others } = environment

  test('secrets are read from the environment, and a secret that is missing from the environment retains its stored value', async () => {
    using folder = await anApplied('kept')
    expect(await storedSecrets('kept')).toEqual({ KEY: secrets.secret })
    const without: Shell = { ...shell, environment: others }
    expect(await runCapstan(without, 'plan', folder.root)).toMatchObject({ code: 0 })
    const file = 'web/ropes/capstan.yaml'
    folder.put(file, folder.read(file).replace('MODE: hard', 'MODE: mild'))
    expect(await runCapstan(without, 'apply', folder.root)).toMatchObject({ code: 0 })
    expect(await storedSecrets('kept')).toEqual({ KEY: secrets.secret })
    expect((await challengeOf('kept', 'ropes')).challenge.containers[0]?.definition.environment).toEqual([
      { name: 'MODE', value: 'mild' },
    ])
    expect(await planCode(folder.root)).toMatchObject({ code: 0 })
  })

  test('`capstan apply` stores a new value of a secret, but never prints the value', async () => {
    using folder = await anApplied('rotated')
    const rotated: Shell = { ...shell, environment: { ...environment, ROPES_KEY: 'another-key' } }
    const plan = await runCapstan(rotated, 'plan', folder.root)
    expect(plan).toMatchObject({ code: 2, text: expect.stringContaining('~ secretValues: changes (not shown)') })
    const applied = await runCapstan(rotated, 'apply', '--json', folder.root)
    expect(applied.code).toBe(0)
    expect(plan.text + applied.text).not.toContain('another-key')
    expect(await storedSecrets('rotated')).toEqual({ KEY: 'another-key' })
    expect(await runCapstan(rotated, 'plan', folder.root)).toMatchObject({ code: 0 })
    const { source } = await challengeOf('rotated', 'ropes')
    expect(JSON.stringify(source)).not.toContain('another-key')
    // A pull does not change the data that the platform stores about the challenge.
    expect(await runCapstan(rotated, 'pull', folder.root)).toMatchObject({ code: 0 })
    expect(await runCapstan(rotated, 'plan', folder.root)).toMatchObject({ code: 0 })
  })

  test('`capstan apply` creates no challenge whose secret is missing from the environment, and none that opens after it', async () => {
    using folder = aFolder(createExampleGameFiles('unset'))
    const result = await runCapstan({ ...shell, environment: others }, 'apply', folder.root)
    expect(result).toMatchObject({
      code: 1,
      text: expect.stringContaining(
        'The environment variable ROPES_KEY is not set. It must contain the secret KEY of the container.',
      ),
    })
    expect(result.text).toContain('Knots: Refused, because its prerequisite ropes was refused')
    expect(result.text).toContain('divisions: The rights for knots were not set, because this challenge was refused.')
    const titles = (await present('unset')).challenges.map(({ challenge }) => challenge.title)
    expect(titles.sort()).toEqual(['Anchor', 'Chart'])
  })
})

test('new patterns replace old patterns even if the challenge has the maximum number of patterns', async () => {
  const file = 'web/ropes/capstan.yaml'
  const patterns = (prefix: string) => Array.from({ length: 20 }, (_, index) => `  - pattern: ${prefix}${index}\n`).join('')
  const files = createExampleGameFiles('many')
  const text = String(files[file])
  const start = text.indexOf('  - environment: ROPES_FLAG')
  const withPatterns = (prefix: string) => text.slice(0, start) + patterns(prefix) + text.slice(text.indexOf('container:'))
  using folder = await anApplied('many', { ...files, [file]: withPatterns('old') })
  folder.put(file, withPatterns('new'))
  expect(await runCapstan(shell, 'apply', folder.root)).toMatchObject({ code: 0 })
  const { flags, enabled } = (await challengeOf('many', 'ropes')).challenge
  expect([flags.length, flags.every(({ flag }) => flag.startsWith('new')), enabled]).toEqual([20, true, true])
})

describe('the command `capstan pull`', () => {
  test('`capstan pull` creates the files of a game that an organizer created in the browser', async () => {
    using _original = await anApplied('source', addPosterFile(createExampleGameFiles('source')))
    const { game } = await present('source')
    const reader = await aToken(context, { scope: 'ReadGame', gameId: game.id })
    await context.sql`delete from challenge_sources where game_id = ${game.id}`
    await context.sql`delete from game_sources where game_id = ${game.id}`
    using folder = aFolder()
    const pulled = await runCapstan({ ...shell, token: reader }, 'pull', folder.root)
    expect(pulled).toMatchObject({ code: 0 })
    expect(folder.list()).toEqual(
      expect.arrayContaining([
        'capstan.yaml',
        'description.md',
        'poster.webp',
        'misc/knots/capstan.yaml',
        'misc/knots/description.md',
        'misc/knots/images/knot.png',
        'misc/knots/files/knots.zip',
        'forensics/chart/capstan.yaml',
      ]),
    )
    expect(folder.read('misc/knots/description.md')).toContain('![a knot](images/knot.png "Knot")')
    expect(folder.read('misc/knots/capstan.yaml')).toMatch(
      /^# yaml-language-server: \$schema=https:\/\/ctf\.example\.org\/api\/schemas/,
    )
    const ropes = folder.read('web/ropes/capstan.yaml')
    expect(ropes).toContain('    KEY:\n      secret: KEY\n')
    expect(ropes).toContain('guarded: true')
    expect(await runCapstan(shell, 'validate', folder.root)).toMatchObject({ code: 0 })
    expect(await runCapstan({ ...shell, token: reader }, 'plan', folder.root)).toMatchObject({ code: 0 })
  })

  test('preserves comments and unchanged values, and updates changed values', async () => {
    using folder = await anApplied('pull')
    const { game } = await present('pull')
    const known = await challengeOf('pull', 'knots')
    const params = { id: game.id, cid: known.id }
    const before = new Map(folder.list().map((file) => [file, folder.read(file)]))
    expect(await runCapstan(shell, 'pull', folder.root)).toMatchObject({
      code: 0,
      text: expect.stringContaining('The files match the platform'),
    })
    expect(new Map(folder.list().map((file) => [file, folder.read(file)]))).toEqual(before)
    await platform().call(operations.updateChallenge, {
      params,
      body: { originalScore: 280, content: known.challenge.description.replace('What is this?', 'What is that?') },
    })
    expect(await runCapstan(shell, 'pull', folder.root)).toMatchObject({ code: 0 })
    expect(folder.read('misc/knots/capstan.yaml')).toContain('points: 280 # of the rope\n')
    expect(folder.read('misc/knots/README.md')).toBe(
      before.get('misc/knots/README.md')?.replace('What is this?', 'What is that?'),
    )
    expect(folder.read('capstan.yaml')).toBe(before.get('capstan.yaml'))
    expect(await planCode(folder.root)).toMatchObject({ code: 0 })
    // Change only one setting of the container. In the file, the secret must still refer to the same environment variable.
    const ropes = (await challengeOf('pull', 'ropes')).id
    await context.sql`update challenges set container = container || '{"egress": "Dns"}'::jsonb where id = ${ropes}`
    await context.sql`update challenges set container_secrets = '{"KEY": "k", "PIN": "p"}'::jsonb where id = ${ropes}`
    const ropesBefore = folder.read('web/ropes/capstan.yaml')
    expect(await runCapstan(shell, 'pull', folder.root)).toMatchObject({ code: 0 })
    expect(folder.read('web/ropes/capstan.yaml').replace(/ +PIN:\n +secret: PIN\n/, '')).toBe(
      ropesBefore.replace('egress: false', 'egress: Dns').replace('hard # for seamen', 'hard'),
    )
    expect(await planCode(folder.root)).toMatchObject({ code: 0 })
    folder.put('misc/knots/capstan.yaml', folder.read('misc/knots/capstan.yaml').replace('280', '290'))
    expect(await runCapstan(shell, 'apply', folder.root)).toMatchObject({ code: 0 })
  })
})
