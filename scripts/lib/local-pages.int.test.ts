import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setSourceLink } from '@capstan/api/server/settings/service'
import { startTestApp, type TestApp } from '@capstan/api/testing/app'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildLocalPages } from './local-pages.ts'

let context: TestApp
let folder: string
let pages: Awaited<ReturnType<typeof buildLocalPages>>
beforeAll(async () => {
  context = await startTestApp()
  folder = await mkdtemp(path.join(tmpdir(), 'capstan-local-pages-'))
  await writeFile(path.join(folder, 'index.html'), '<title>%title%</title>%repository%')
  pages = await buildLocalPages(context, { folder })
})
afterAll(async () => {
  await pages.close()
  await rm(folder, { recursive: true })
  await context.close()
})

test('a path without an extension returns the index page, which contains the title of the platform', async () => {
  expect((await pages.inject('/games/7')).body).toBe('<title>CS</title>')
})

test.each([
  ['GET', '/missing.js'],
  ['POST', '/games'],
] as const)('%s %s returns 404 with an error body in the language of the reader', async (method, url) => {
  const answer = await pages.inject({ method, url, headers: { 'accept-language': 'de' } })
  expect([answer.statusCode, answer.headers['content-language'], answer.json()]).toMatchObject([404, 'de-DE', { status: 404 }])
  expect(answer.json().title).toEqual(expect.any(String))
  expect(answer.json()).not.toHaveProperty('statusCode')
})

test('the page links to the repository of the deployment until an admin sets another repository', async () => {
  const configured = await buildLocalPages(context, { folder, repository: 'https://git.example.org/ours' })
  const shown = async () => (await configured.inject('/')).body
  expect(await shown()).toBe('<title>CS</title>https://git.example.org/ours')
  await setSourceLink(context.deps, { repositoryUrl: 'https://git.example.org/fork' })
  expect(await shown()).toBe('<title>CS</title>https://git.example.org/fork')
  await setSourceLink(context.deps, { repositoryUrl: null })
  expect(await shown()).toBe('<title>CS</title>https://git.example.org/ours')
  await configured.close()
})
