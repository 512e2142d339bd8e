import { existsSync } from 'node:fs'
import { startTestApp, type TestApp } from '@capstan/api/testing/app'
import { findGameForName, readPlatformGame } from '@capstan/cli/plan/read-platform'
import { connectToPlatform } from '@capstan/cli/platform'
import { operations } from '@capstan/contract/operations'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aFolder, aToken, createAppFetch, runCapstan, type Shell } from './testing/command.ts'

let context: TestApp
let shell: Shell
beforeAll(async () => {
  context = await startTestApp()
  shell = { send: createAppFetch(context), token: await aToken(context) }
})
afterAll(() => context.close())

function platform() {
  return connectToPlatform({ url: 'https://ctf.example.org', token: shell.token }, shell.send)
}

function gameText(name: string) {
  return `apiVersion: capstan/v1\nkind: Game\nname: ${name}\ntitle: Cup ${name}\n`
}

function challengeText(name: string, more = '') {
  return `apiVersion: capstan/v1\nkind: Challenge\nname: ${name}\ntitle: ${name}\ncategory: Misc\ndescription: d\n${more || 'flags: [{ text: "flag{a}" }]\n'}`
}

function hostileText(trace: string) {
  return challengeText(
    'planted',
    `flags: [{ text: "flag{x}" }]\nattachments: [{ make: [sh, -c, 'touch ${trace}; touch "$OUTPUT"'], as: x }]\nsolver: { command: [touch, ${trace}] }\n`,
  )
}

async function upload(name: string, content: string): Promise<string> {
  const [stored] = await platform().call(operations.uploadFiles, { files: [{ name, content: new Blob([content]) }] })
  return stored?.hash ?? ''
}

async function present(name: string) {
  return readPlatformGame(platform(), (await findGameForName(platform(), name)) ?? 0)
}
async function challengeOf(game: string, name: string) {
  const { challenges } = await present(game)
  const found = challenges.find(({ source }) => source?.name === name)
  if (!found) throw new Error(`There is no challenge ${name}`)
  return found
}

const names = [
  'capstan.yaml',
  'CAPSTAN.YAML',
  'capstan.yaml.',
  'challenge.yml',
  'Dockerfile',
  'Makefile',
  '.npmrc',
  '.gitattributes',
  'aux.c',
  'binding.gyp',
  'python311._pth',
]

describe('names of files on the platform that have a meaning for a tool', () => {
  test.each(names)('`capstan pull` stores the file %s under a harmless name', async (fileName) => {
    const name = `trap-${names.indexOf(fileName)}`
    using folder = aFolder({ 'capstan.yaml': gameText(name), 'misc/bait/capstan.yaml': challengeText('bait') })
    const trace = `${folder.root}.trace`
    expect(await runCapstan(shell, 'apply', folder.root)).toMatchObject({ code: 0 })
    const known = await challengeOf(name, 'bait')
    const { game } = await present(name)
    const params = { id: game.id, cid: known.id }
    const hash = await upload(fileName, hostileText(trace))
    const address = `/assets/${hash}/${encodeURIComponent(fileName)}`
    const content = `![x](${address} "t") and [y](${address})`
    await platform().call(operations.updateChallenge, { params, body: { content } })
    await platform().call(operations.setAttachment, { params, body: { attachmentType: 'Local', fileHash: hash } })
    await platform().call(operations.updateGame, { params: { id: game.id }, body: { ...game, content } })
    const before = await challengeOf(name, 'bait')

    expect(await runCapstan(shell, 'pull', folder.root)).toMatchObject({ code: 0 })
    using fresh = aFolder()
    expect(await runCapstan(shell, 'pull', '--game', String(game.id), fresh.root)).toMatchObject({ code: 0 })
    for (const { root, list } of [folder, fresh]) {
      const pulled = list().filter((path) => !/(?:^|\/)(?:description\.md|poster\.webp)$/.test(path))
      expect(pulled.filter((path) => path.toLowerCase().endsWith('capstan.yaml')).sort()).toEqual(
        [
          'capstan.yaml',
          ...pulled.filter((path) => path.endsWith('_capstan.yaml') || path.endsWith('_CAPSTAN.YAML')),
          'misc/bait/capstan.yaml',
        ].sort(),
      )
      expect(pulled.some((path) => path.split('/').at(-1) === fileName && fileName !== 'capstan.yaml')).toBe(false)
      expect(await runCapstan(shell, 'validate', root)).toMatchObject({
        code: 0,
        text: expect.stringContaining('2 files, 2 valid'),
      })
      expect(await runCapstan(shell, 'plan', root)).toMatchObject({ code: 0, text: expect.stringContaining('No changes.') })
      expect(await runCapstan(shell, 'apply', root)).toMatchObject({ code: 0 })
    }
    expect((await challengeOf(name, 'bait')).challenge).toEqual(before.challenge)
    expect(existsSync(trace)).toBe(false)
  })
})

test('`capstan pull` stores attachments only below `files`, so that no tool loads them, even if their names are not reserved', async () => {
  using folder = aFolder({ 'capstan.yaml': gameText('below'), 'misc/bait/capstan.yaml': challengeText('bait') })
  expect(await runCapstan(shell, 'apply', folder.root)).toMatchObject({ code: 0 })
  const known = await challengeOf('below', 'bait')
  const { game } = await present('below')
  const fileHash = await upload('future-tool.conf', 'run = harmful')
  const params = { id: game.id, cid: known.id }
  await platform().call(operations.setAttachment, { params, body: { attachmentType: 'Local', fileHash } })
  expect(await runCapstan(shell, 'pull', folder.root)).toMatchObject({ code: 0 })
  using fresh = aFolder()
  expect(await runCapstan(shell, 'pull', '--game', String(game.id), fresh.root)).toMatchObject({ code: 0 })
  for (const { root, list } of [folder, fresh]) {
    expect(list().filter((path) => path.endsWith('future-tool.conf'))).toEqual(['misc/bait/files/future-tool.conf'])
    expect(await runCapstan(shell, 'plan', root)).toMatchObject({ code: 0, text: expect.stringContaining('No changes.') })
  }
})

test('images whose names differ only by case are pulled under different names', async () => {
  using folder = aFolder({ 'capstan.yaml': gameText('cases'), 'misc/bait/capstan.yaml': challengeText('bait') })
  expect(await runCapstan(shell, 'apply', folder.root)).toMatchObject({ code: 0 })
  const known = await challengeOf('cases', 'bait')
  const { game } = await present('cases')
  const [one, two, three] = [await upload('Knot.png', '1'), await upload('knot.PNG', '2'), await upload('KNOT.png', '3')]
  const content = `![](/assets/${one}/Knot.png) ![](/assets/${two}/knot.PNG) ![](/assets/${three}/KNOT.png)`
  await platform().call(operations.updateChallenge, { params: { id: game.id, cid: known.id }, body: { content } })
  expect(await runCapstan(shell, 'pull', folder.root)).toMatchObject({ code: 0 })
  const images = folder.list().filter((path) => path.includes('/images/'))
  expect(new Set(images.map((path) => path.toLowerCase())).size).toBe(3)
  expect(images.map((path) => folder.read(path)).sort()).toEqual(['1', '2', '3'])
  expect(await runCapstan(shell, 'plan', folder.root)).toMatchObject({ code: 0 })
})

describe('commands of authors', () => {
  const made = (command: string, more = '') =>
    challengeText(
      'made',
      `flags: [{ text: "flag{a}" }]\nattachments: [{ make: [sh, -c, '${command}'], as: made.txt }] # by hand\n${more}`,
    )

  test('`capstan apply` runs the commands in challenge files, but `capstan plan` and `capstan pull` do not', async () => {
    using folder = aFolder({ 'capstan.yaml': gameText('makes'), 'misc/made/seed.txt': 'one' })
    const trace = `${folder.root}/trace`
    const text = made(`echo ran >> ${trace}; cat seed.txt > "$OUTPUT"`, 'solver: { command: [sh, solve.sh] }\n')
    folder.put('misc/made/capstan.yaml', text)
    const plan = await runCapstan(shell, 'plan', folder.root)
    expect(plan).toMatchObject({ code: 2, text: expect.stringContaining('known after apply') })
    expect(existsSync(trace)).toBe(false)
    expect(await runCapstan(shell, 'apply', folder.root)).toMatchObject({ code: 0 })
    expect(folder.read('trace')).toBe('ran\n')
    expect((await challengeOf('makes', 'made')).challenge.attachment).toMatchObject({ name: 'made.txt' })

    expect(await runCapstan(shell, 'plan', folder.root)).toMatchObject({ code: 0, text: expect.stringContaining('No changes.') })
    expect(await runCapstan(shell, 'pull', folder.root)).toMatchObject({ code: 0 })
    expect(folder.read('misc/made/capstan.yaml')).toBe(text)
    expect(folder.read('trace')).toBe('ran\n')

    folder.put('misc/made/seed.txt', 'two')
    expect(await runCapstan(shell, 'plan', folder.root)).toMatchObject({
      code: 2,
      text: expect.stringContaining('~ attachment: known after apply'),
    })
    const { challenges } = JSON.parse((await runCapstan(shell, 'plan', '--json', folder.root)).text)
    expect(challenges[0]).toMatchObject({ action: 'update', changes: [{ field: 'attachment', knownAfterApply: true }] })
    expect(folder.read('trace')).toBe('ran\n')
    expect(await runCapstan(shell, 'apply', folder.root)).toMatchObject({ code: 0 })
    expect(folder.read('trace')).toBe('ran\nran\n')
    expect(await runCapstan(shell, 'plan', folder.root)).toMatchObject({ code: 0 })
  })

  test('a command remains in the file if the platform has another attachment, and the next plan shows the difference', async () => {
    using folder = aFolder({ 'capstan.yaml': gameText('foreign'), 'misc/made/capstan.yaml': made('echo x > "$OUTPUT"') })
    expect(await runCapstan(shell, 'apply', folder.root)).toMatchObject({ code: 0 })
    const known = await challengeOf('foreign', 'made')
    const { game } = await present('foreign')
    const hash = await upload('random.py', 'import os')
    const params = { id: game.id, cid: known.id }
    await platform().call(operations.setAttachment, { params, body: { attachmentType: 'Local', fileHash: hash } })
    expect(await runCapstan(shell, 'plan', folder.root)).toMatchObject({
      code: 2,
      text: expect.stringContaining('attachment: known after apply (changed on the platform'),
    })
    expect(await runCapstan(shell, 'pull', folder.root)).toMatchObject({ code: 0 })
    expect(folder.list()).toEqual(['capstan.yaml', 'misc/made/capstan.yaml'])
    expect(await runCapstan(shell, 'plan', folder.root)).toMatchObject({
      code: 2,
      text: expect.stringContaining('known after apply'),
    })
    expect(await runCapstan(shell, 'apply', folder.root)).toMatchObject({ code: 0 })
    expect((await challengeOf('foreign', 'made')).challenge.attachment).toMatchObject({ name: 'made.txt' })
  })

  test('a command remains in the file when a pull reads the flags that the command generated for teams', async () => {
    const rule =
      'flags:\n  - eachTeam: flag{n_[HEX]}\n    count: 2\n    make: [sh, -c, \'echo "$FLAG" > "$OUTPUT"\']\n    as: n.txt\n'
    using folder = aFolder({ 'capstan.yaml': gameText('each'), 'misc/made/capstan.yaml': challengeText('made', rule) })
    expect(await runCapstan(shell, 'apply', folder.root)).toMatchObject({ code: 0 })
    const known = await challengeOf('each', 'made')
    const { game } = await present('each')
    const hash = await upload('random.py', 'by hand')
    await platform().call(operations.addFlags, {
      params: { id: game.id, cid: known.id },
      body: [{ flag: 'flag{by_hand}', attachmentType: 'Local', fileHash: hash }],
    })
    expect(await runCapstan(shell, 'pull', folder.root)).toMatchObject({ code: 0 })
    const text = folder.read('misc/made/capstan.yaml')
    expect(text).toContain('eachTeam: flag{n_[HEX]}')
    expect(text).toContain('text: flag{by_hand}')
    expect(folder.list()).toContain('misc/made/files/random.py')
    expect(await runCapstan(shell, 'plan', folder.root)).toMatchObject({ code: 0 })
  })
})
