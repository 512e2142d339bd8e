import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { operations } from '@capstan/contract/operations'
import { strToU8, unzipSync, zipSync } from 'fflate'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectBrowser } from '../support/browser.ts'
import { Organizer, randomSuffix } from '../support/organizer.ts'
import { openPage } from '../support/story.ts'

const world = inject('world')

/**
 * Files of a repository by path: a challenge in the rcds format, with one field that Capstan does not have, and a challenge in
 * Capstan's format.
 */
const repository: Readonly<Record<string, string>> = {
  'web/lighthouse/challenge.yaml': `name: Lighthouse
author: keeper
category: web
description: Who keeps the light?
value: 400
sortWeight: 7
flag: flag{keeper}
`,
  'crypto/semaphore/capstan.yaml': `apiVersion: capstan/v1
kind: Challenge
name: semaphore
title: Semaphore
category: Crypto
enabled: true
description: Read the arms.
flags:
  - text: flag{arms}
`,
}

/** Drops a local file or folder onto the center of an element, like a user with a mouse. */
async function dropOnto(page: Page, place: Locator, file: string): Promise<void> {
  await place.waitFor()
  const box = await place.boundingBox()
  if (!box) throw new Error('The place for the drop is not shown')
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: [file], dragOperationsMask: 1 }
  // Send `dragOver` twice, because browsers repeat it even if the mouse does not move.
  for (const type of ['dragEnter', 'dragOver', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, ...at, data })
  await session.detach()
}

describe.skipIf(!world)('importing (needs Chromium)', () => {
  const baseUrl = world?.baseUrl ?? ''
  let browser: Browser
  let organizer: Organizer
  let folder: string
  beforeAll(async () => {
    if (!world) return
    folder = await mkdtemp(path.join(tmpdir(), 'capstan-importing-'))
    for (const [file, text] of Object.entries(repository)) {
      const written = path.join(folder, 'fleet', file)
      await mkdir(path.dirname(written), { recursive: true })
      await writeFile(written, text)
    }
    const packed = zipSync(Object.fromEntries(Object.entries(repository).map(([file, text]) => [file, strToU8(text)])))
    await writeFile(path.join(folder, 'fleet.zip'), packed)
    await writeFile(path.join(folder, 'notes.zip'), 'Only a text.')
    browser = await connectBrowser(inject('browser'))
    organizer = await Organizer.logIn(world)
  })
  afterAll(async () => {
    await browser?.close()
    if (folder) await rm(folder, { recursive: true, force: true })
  })

  const open = async (address: string) => {
    const opened = await openPage(browser, baseUrl, { actor: organizer.actor })
    await opened.page.goto(address)
    return opened
  }
  const challengesOf = async (id: number) => {
    const all = await organizer.actor.call(operations.adminListChallenges, { params: { id } })
    return all.map(({ title, isEnabled }) => ({ title, isEnabled })).sort((a, b) => a.title.localeCompare(b.title))
  }
  const importLink = (page: Page) => page.getByRole('link', { name: 'Import' }).first()
  const dropPlace = (page: Page) => page.locator('label').filter({ hasText: 'Drop a folder, a zip or a CSV here' })

  test('if a folder is dropped onto the import page, the page lists all challenges of the folder', async () => {
    const { id } = await organizer.openGame()
    const { page, errors, close } = await open(`/admin/games/${id}/challenges/import`)
    await dropOnto(page, dropPlace(page), path.join(folder, 'fleet'))
    await page.getByText('2 challenges found').waitFor()
    await page.getByText('fleet/web/lighthouse/challenge.yaml', { exact: true }).waitFor()
    await page.getByText('fleet/crypto/semaphore/capstan.yaml', { exact: true }).waitFor()
    expect(errors).toEqual([])
    await close()
  })

  test('dropping a zip onto the list of challenges shows warnings at the fields, and the chosen challenges are created disabled', async () => {
    const { id } = await organizer.openGame()
    const { page, errors, close } = await open(`/admin/games/${id}/challenges`)
    await dropOnto(page, importLink(page), path.join(folder, 'fleet.zip'))
    await page.getByText('2 challenges found').waitFor()
    const found = page.locator('section').filter({ has: page.getByRole('heading', { name: '2 challenges found' }) })
    for (const details of await found.locator('summary').all()) await details.click()
    await found.getByText('sortWeight').waitFor()
    await page.getByRole('checkbox', { name: 'Semaphore', exact: true }).click()
    await page.getByRole('button', { name: 'Import 1 challenge', exact: true }).click()
    await page.getByText('1 challenge imported').waitFor()
    // The pressed button no longer exists, so the result has the focus. The next Tab moves into the result.
    await page.locator(':focus', { hasText: '1 challenge imported' }).waitFor()
    await page.keyboard.press('Tab')
    await page.locator(':focus', { hasText: 'Lighthouse' }).waitFor()
    expect(await challengesOf(id)).toEqual([{ title: 'Lighthouse', isEnabled: false }])
    expect(errors).toEqual([])
    await close()
  })

  test('choosing a folder lists the same challenges as dropping it', async () => {
    const { id } = await organizer.openGame()
    const { page, errors, close } = await open(`/admin/games/${id}/challenges/import`)
    await page.locator('input[webkitdirectory]').setInputFiles(path.join(folder, 'fleet'))
    await page.getByText('2 challenges found').waitFor()
    await page.getByRole('button', { name: 'Import 2 challenges' }).click()
    await page.getByText('2 challenges imported').waitFor()
    expect(await challengesOf(id)).toEqual([
      { title: 'Lighthouse', isEnabled: false },
      { title: 'Semaphore', isEnabled: false },
    ])
    expect(errors).toEqual([])
    await close()
  })

  test('a game can be exported as files and as a package, and the package creates a new hidden game', async () => {
    const { id, title } = await organizer.openGame({}, [{ title: 'Buoy', flag: 'flag{afloat}' }])
    const { page, errors, close } = await open(`/admin/games/${id}/challenges`)
    const save = async (item: string) => {
      await page.getByRole('button', { name: 'Import and export' }).click()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: item, exact: true }).click(),
      ])
      const saved = path.join(folder, `${randomSuffix()}.zip`)
      await download.saveAs(saved)
      return { name: download.suggestedFilename(), saved, paths: Object.keys(unzipSync(await readFile(saved))) }
    }
    const files = await save('Challenges as files')
    expect(files.name).toMatch(new RegExp(`^${title}-challenges-\\d{8}-\\d{6}\\.zip$`))
    expect(files.paths).toContain('misc/buoy/capstan.yaml')
    const packed = await save('Game as a package')
    expect(packed.name).toMatch(new RegExp(`^${title}-export-\\d{8}-\\d{6}\\.zip$`))

    await page.getByRole('button', { name: 'Import and export' }).click()
    await page.getByRole('menuitem', { name: 'Import challenges', exact: true }).click()
    await dropOnto(page, dropPlace(page), packed.saved)
    await page.getByText(`Package of the game “${title}”`).waitFor()
    await page.getByRole('button', { name: 'Create a new game' }).click()
    await page.waitForURL((url) => /\/admin\/games\/\d+/.test(url.pathname) && !url.pathname.includes(`/games/${id}/`))
    const made = Number(/\/admin\/games\/(\d+)/.exec(page.url())?.[1])
    expect(await organizer.actor.call(operations.adminGetGame, { params: { id: made } })).toMatchObject({ title, hidden: true })
    expect(await challengesOf(made)).toEqual([{ title: 'Buoy', isEnabled: false }])
    await page.goto('/admin/games')
    await page.getByRole('row').filter({ hasText: title }).filter({ hasText: 'Hidden' }).waitFor()
    expect(errors).toEqual([])
    await close()
  })

  test('an invalid archive is refused with a readable message, and nothing is created', async () => {
    const { id } = await organizer.openGame()
    const { page, errors, close } = await open(`/admin/games/${id}/challenges/import`)
    await dropOnto(page, dropPlace(page), path.join(folder, 'notes.zip'))
    await page.getByRole('alert').getByText('The zip archive cannot be read').waitFor()
    await dropPlace(page).waitFor()
    expect(await challengesOf(id)).toEqual([])
    expect(errors).toEqual([])
    await close()
  })
})
