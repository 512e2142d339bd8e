import { createZipFile } from '@capstan/api/challenges/archives/testing/zip'
import { readConfig } from '@capstan/api/server/config'
import { startTestApp, type TestApp } from '@capstan/api/testing/app'
import { requiredEnvironment } from '@capstan/api/testing/environment'
import { signInAsNewUser } from '@capstan/api/testing/factories'
import { aGame } from '@capstan/api/testing/organizing-factories'
import { ContainerLimits } from '@capstan/contract/limits'
import { challenges } from '@capstan/db/schema/challenges'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aFolder, aToken, createAppFetch, runCapstan, type Shell } from './testing/command.ts'

/** Starts a platform that allows up to `maxContainers` containers per challenge. */
async function aPlatform(maxContainers: number): Promise<Readonly<{ context: TestApp; shell: Shell }>> {
  const { instances } = readConfig(requiredEnvironment)
  const choices = { ...instances.choices, maxContainers }
  const context = await startTestApp({ config: { instances: { ...instances, choices } } })
  return { context, shell: { send: createAppFetch(context), token: await aToken(context), environment: { DB_KEY: 'hidden-db' } } }
}

let several: Awaited<ReturnType<typeof aPlatform>>
let single: Awaited<ReturnType<typeof aPlatform>>
beforeAll(async () => {
  several = await aPlatform(ContainerLimits.maxContainers)
  single = await aPlatform(1)
})
afterAll(async () => {
  await several.context.close()
  await single.context.close()
})

const file = 'web/shop/capstan.yaml'

function shop({ secret = '' } = {}): Record<string, string> {
  return {
    [file]: `apiVersion: capstan/v1
kind: Challenge
name: shop
title: Shop
category: Web
description: Buy one.
flags:
  - text: flag{a}
containers:
  - name: page
    image: registry.example.org/page:1
    ports:
      - { port: 80, speaks: http }
    networks: [front, { name: back, aliases: [www] }]
    dependsOn: [bot, { name: db, when: ready }]
  - name: db
    image: registry.example.org/db:1
    environment: { MODE: fast${secret} }
    ports: [{ port: 5432 }]
    networks: [back]
    receivesFlag: true
    memoryMb: 96
  - name: bot
    image: registry.example.org/bot:1
    ports: [{ port: 81, speaks: http }]
    networks: [front]
`,
  }
}

async function rowsOf({ db }: TestApp, ofGame: number) {
  const rows = (await db.select().from(challenges)).filter(({ gameId }) => gameId === ofGame)
  return rows.map(({ id: _, gameId: __, isEnabled: ___, isShown: ____, ...row }) => row)
}

async function applied({ context, shell }: typeof several, files: Record<string, string>) {
  const folder = aFolder(files)
  const { id } = await aGame(context.db)
  const apply = () => runCapstan(shell, 'apply', '--game', String(id), folder.root)
  return { id, folder, apply, first: await apply() }
}

async function imported({ context }: typeof several, files: Record<string, string>) {
  const { id } = await aGame(context.db)
  const { client } = await signInAsNewUser(context, 'Admin')
  const upload = [{ field: 'file', name: 'a.zip', content: createZipFile(files) }]
  const preview = await client.upload('POST', `/api/edit/games/${id}/challenges/import/preview`, upload)
  const response = await client.upload('POST', `/api/edit/games/${id}/challenges/import`, upload)
  expect([response.statusCode, response.body]).toEqual([200, expect.any(String)])
  return { id, findings: preview.body }
}

describe('a file with several containers', () => {
  test('the file results in the same rows whether it is applied or imported', async () => {
    const { id, first } = await applied(several, shop())
    expect(first).toMatchObject({ code: 0 })
    const { id: other } = await imported(several, shop())
    const rows = await rowsOf(several.context, id)
    expect(rows).toEqual(await rowsOf(several.context, other))
    expect(rows).toMatchObject([
      {
        containerImage: 'registry.example.org/page:1',
        firstContainer: {
          name: 'page',
          networks: [
            { name: 'front', aliases: [] },
            { name: 'back', aliases: ['www'] },
          ],
          dependsOn: [
            { name: 'bot', when: 'started' },
            { name: 'db', when: 'ready' },
          ],
        },
        furtherContainers: [
          { name: 'db', memoryMb: 96, receivesFlag: true, definition: { furtherPorts: [5432] } },
          { name: 'bot', definition: { offeredPorts: [{ port: 81, speaks: 'http' }] } },
        ],
      },
    ])
  })

  test('after `capstan apply`, `capstan plan` reports only containers and secrets that changed later', async () => {
    const { id, folder, apply } = await applied(several, shop({ secret: ', KEY: { secret: DB_KEY }' }))
    using _ = folder
    const [row] = await rowsOf(several.context, id)
    expect(row?.furtherContainerSecrets).toEqual({ db: { KEY: 'hidden-db' } })
    await apply()
    expect(await rowsOf(several.context, id)).toEqual([row])
    const plan = () => runCapstan(several.shell, 'plan', '--game', String(id), folder.root)
    expect(await plan()).toMatchObject({ code: 0 })
    folder.put(file, folder.read(file).replace('memoryMb: 96', 'memoryMb: 97'))
    expect(await plan()).toMatchObject({ code: 2, text: expect.stringContaining('containers') })
    const rotated = { ...several.shell, environment: { DB_KEY: 'other' } }
    expect(await runCapstan(rotated, 'plan', '--game', String(id), folder.root)).toMatchObject({
      code: 2,
      text: expect.stringContaining('secretValues'),
    })
  })

  test('a pull updates the file after changes in the editor, and retains the variables for secrets', async () => {
    const { id, folder } = await applied(several, shop({ secret: ', KEY: { secret: DB_KEY }' }))
    using _ = folder
    const { client } = await signInAsNewUser(several.context, 'Admin')
    const [whole] = (await client.get(`/api/edit/games/${id}/challenges/whole`)).json()
    const [page, db, bot] = whole.challenge.containers
    const containers = [page, { ...db, memoryMb: 128 }, bot]
    const address = `/api/edit/games/${id}/challenges/${whole.id}/whole`
    expect((await client.put(address, { challenge: { ...whole.challenge, containers } })).statusCode).toBe(200)
    expect(await runCapstan(several.shell, 'pull', '--game', String(id), folder.root)).toMatchObject({ code: 0 })
    expect(folder.read(file)).toContain('memoryMb: 128')
    expect(folder.read(file)).toContain('secret: DB_KEY')
    expect(await runCapstan(several.shell, 'plan', '--game', String(id), folder.root)).toMatchObject({ code: 0 })
  })

  test('the file contains `container` instead of `containers` if only one container without networks remains', async () => {
    const { id, folder } = await applied(several, shop())
    using _ = folder
    const { client } = await signInAsNewUser(several.context, 'Admin')
    const [whole] = (await client.get(`/api/edit/games/${id}/challenges/whole`)).json()
    const { networks: __, dependsOn: ___, ...page } = whole.challenge.containers[0]
    const address = `/api/edit/games/${id}/challenges/${whole.id}/whole`
    await client.put(address, { challenge: { ...whole.challenge, containers: [{ ...page, name: 'main' }] } })
    expect(await runCapstan(several.shell, 'pull', '--game', String(id), folder.root)).toMatchObject({ code: 0 })
    expect(folder.read(file)).not.toContain('containers:')
    expect(folder.read(file)).toContain('container:\n  image: registry.example.org/page:1\n')
  })

  test('if a platform supports only one container, apply refuses the file, but an import omits other containers', async () => {
    const { first } = await applied(single, shop())
    expect(first).toMatchObject({
      code: 1,
      text: expect.stringContaining('containers[1]: This is more than the platform allows.'),
    })
    const { id, findings } = await imported(single, shop())
    expect(findings).toContain('containers[2]')
    expect(await rowsOf(single.context, id)).toMatchObject([
      { containerImage: 'registry.example.org/page:1', firstContainer: { name: 'page' }, furtherContainers: [] },
    ])
  })

  test.each<[string, string, string, string]>([
    ['both forms', 'containers:', 'container: { image: x, ports: [{ port: 80 }] }\ncontainers:', 'one `container` or several'],
    ['no entry', '    ports:\n      - { port: 80, speaks: http }\n', '', 'containers[0].ports'],
    ['an unknown dependency', 'dependsOn: [bot,', 'dependsOn: [cache,', 'containers[0].dependsOn.0.name: The challenge has no'],
    ['neither image nor folder', '    image: registry.example.org/db:1\n', '', 'containers[1]: Name either an image'],
  ])('is refused with %s', async (_, before, after, why) => {
    const files = { [file]: shop()[file]?.replace(before, after) ?? '' }
    const { folder, first } = await applied(several, files)
    using __ = folder
    expect(first).toMatchObject({ code: 1, text: expect.stringContaining(why) })
  })
})
