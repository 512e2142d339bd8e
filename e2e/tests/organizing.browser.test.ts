import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { operations } from '@capstan/contract/operations'
import { unzipSync } from 'fflate'
import type { Browser, Download, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { getManifest, hasContainer } from '../challenges/manifest.ts'
import { ApiActor } from '../support/actors.ts'
import { connectBrowser } from '../support/browser.ts'
import { isFullRun } from '../support/full-run.ts'
import { aCrew, aPlayer, Organizer, randomSuffix } from '../support/organizer.ts'
import { poll } from '../support/poll.ts'
import { openPage } from '../support/story.ts'

const world = inject('world')

function localTime(hours: number): string {
  const at = new Date(Date.now() + hours * 3_600_000)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

const pdf = { name: 'writeup.pdf', type: 'application/pdf', content: Buffer.from('%PDF-1.4\n%%EOF\n') }

describe.skipIf(!world)('organizers (needs Chromium)', () => {
  const baseUrl = world?.baseUrl ?? ''
  let browser: Browser
  let organizer: Organizer
  beforeAll(async () => {
    if (!world) return
    browser = await connectBrowser(inject('browser'))
    organizer = await Organizer.logIn(world)
  })
  afterAll(() => browser?.close())

  const open = async (path: string, actor: ApiActor = organizer.actor) => {
    const opened = await openPage(browser, baseUrl, { actor })
    await opened.page.goto(path)
    return opened
  }
  const inDialog = (page: Page) => page.getByRole('dialog').or(page.getByRole('alertdialog'))
  const save = async (page: Page, said: string) => {
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText(said).first().waitFor()
  }
  const createChallenge = async (page: Page, title: string, type: string) => {
    await page.getByRole('button', { name: 'New challenge' }).first().click()
    await inDialog(page).getByLabel('Title').fill(title)
    await inDialog(page).getByRole('radio', { name: type }).check()
    await inDialog(page).getByRole('button', { name: 'Create challenge' }).click()
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
  }
  const openSection = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Sections of the challenge' }).getByRole('link', { name }).click()
  const enable = async (page: Page) => {
    await page.getByRole('switch', { name: 'Enabled' }).click()
    await page.getByText(/^Players (with the link )?see it/).waitFor()
  }
  const fileOf = async (download: Download) => ({ name: download.suggestedFilename(), failure: await download.failure() })

  test('an organizer creates a playable game from scratch in the browser', async () => {
    const { page, errors, close } = await open('/admin/games')
    const title = `Regatta ${randomSuffix()}`
    await page.getByRole('button', { name: 'New game' }).first().click()
    await inDialog(page).getByLabel('Title').fill(title)
    await inDialog(page).getByLabel('Start').fill(localTime(-1))
    await inDialog(page).getByLabel('End').fill(localTime(24))
    await inDialog(page).getByRole('button', { name: 'Create game' }).click()
    await page.getByLabel('Summary').fill('A day on the water.')
    await page.getByRole('switch', { name: 'Accept without review' }).click()
    await save(page, 'Game saved')
    const gameId = Number(/\/admin\/games\/(\d+)/.exec(page.url())?.[1])

    await page.getByRole('link', { name: 'Challenges' }).last().click()
    await createChallenge(page, 'Logbook', 'Static: one flag for everyone')
    await page.getByLabel('Description').fill('Read the **log**.')
    await save(page, 'Challenge saved')
    await openSection(page, 'Files')
    await page.locator('input[type=file]').setInputFiles({ name: 'log.txt', mimeType: 'text/plain', buffer: Buffer.from('fog') })
    await page.getByText('Attachment changed').first().waitFor()
    await openSection(page, 'Flags')
    await page.getByRole('textbox', { name: 'Flags, one per line' }).fill('flag{by_browser}\nflag{too}')
    await page.getByRole('button', { name: 'Add 2 flags' }).click()
    await page.getByText('2 flags added').first().waitFor()
    await enable(page)

    await page.getByRole('link', { name: 'Challenges' }).last().click()
    const manifest = getManifest('harbour-seal')
    const { image, port } = hasContainer(manifest) ? manifest : { image: '', port: 0 }
    await createChallenge(page, 'Seal', 'Instance, flag per team')
    await openSection(page, 'Instance')
    await page.getByLabel('Image', { exact: true }).fill(image)
    await page.getByLabel('Port', { exact: true }).fill(String(port))
    await save(page, 'Challenge saved')
    await page.getByRole('button', { name: 'Start test instance' }).click()
    await page.getByText('Running', { exact: true }).waitFor()
    await page.getByText('Start log').click()
    await page.getByRole('listitem').filter({ hasText: 'Ready' }).waitFor()
    await page.getByRole('button', { name: 'Open terminal' }).click()
    const terminal = page.locator('.xterm-rows').first()
    await poll('the greeting of the test container', async () => /HARBOUR OFFICE/.test((await terminal.textContent()) ?? ''))
    await page.getByRole('button', { name: 'Close the terminal of Seal' }).click()
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await enable(page)

    await page.getByRole('link', { name: 'Notices' }).last().click()
    await page.getByLabel('Text').fill('Cast off.')
    await page.getByRole('button', { name: 'Publish notice' }).click()
    await page.getByText('Notice published').first().waitFor()

    const crew = await aCrew(baseUrl)
    await crew.actor.join(gameId, crew.teamId)
    // The board shows a change after about one second.
    const board = await poll('both challenges to be on the board', async () => {
      const { challenges } = await crew.actor.call(operations.getPlayerBoard, { params: { id: gameId } })
      const list = Object.values(challenges).flat()
      return list.length === 2 ? list : undefined
    })
    expect(board.map((challenge) => challenge.title).sort()).toEqual(['Logbook', 'Seal'])
    const logbook = board.find((challenge) => challenge.title === 'Logbook')?.id ?? 0
    const { context } = await crew.actor.call(operations.getChallenge, { params: { id: gameId, cid: logbook } })
    expect(await (await crew.actor.get(context.url ?? '')).text()).toBe('fog')
    expect(await crew.actor.submitFlag(gameId, logbook, 'flag{by_browser}')).toBe('Accepted')
    expect(errors).toEqual([])
    await close()
  })

  test('if an organizer types another start of a game in the displayed format, the end moves by the same time', async () => {
    const { page, errors, close } = await open('/admin/games')
    await page.getByRole('button', { name: 'New game' }).first().click()
    await inDialog(page).getByLabel('Start').focus()
    await page.keyboard.type('080520310915PM')
    expect(await inDialog(page).getByLabel('Start').inputValue()).toBe('2031-08-05T21:15')
    expect(await inDialog(page).getByLabel('End').inputValue()).toBe('2031-08-07T21:15')
    expect(errors).toEqual([])
    await close()
  })

  test('the page warns an organizer who leaves the page before using the pasted list of users', async () => {
    const { page, errors, close } = await open('/admin/games')
    await page.getByRole('link', { name: 'Users', exact: true }).click()
    await page.getByRole('button', { name: 'Add users' }).click()
    const list = inDialog(page).getByLabel('List of users')
    await list.fill('mira,Anchor-41,mira@example.org')
    await page.goBack()
    await page.getByRole('button', { name: 'Stay' }).click()
    expect(await list.inputValue()).toBe('mira,Anchor-41,mira@example.org')
    await page.goBack()
    await page.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('button', { name: 'New game' }).first().waitFor()
    expect(errors).toEqual([])
    await close()
  })

  test('an organizer follows the list of remaining steps to publish a game', async () => {
    const { page, errors, close } = await open('/admin/games')
    const title = `Cup ${randomSuffix()}`
    await page.getByRole('button', { name: 'New game' }).first().click()
    await inDialog(page).getByLabel('Title').fill(title)
    await inDialog(page).getByRole('button', { name: 'Create game' }).click()
    const list = page.getByRole('region', { name: 'Before it starts' })
    const left = (text: string) => list.getByText(text, { exact: true }).waitFor()
    const follow = (name: RegExp) => list.getByRole('link', { name }).click()
    const toList = () => page.getByRole('link', { name: 'Challenges' }).last().click()
    await left('3 things left to do')

    await follow(/^Add a description/)
    await page.locator('#summary:focus').waitFor()
    await page.keyboard.type('A day on the water.')
    await page.keyboard.press('Control+s')
    await left('2 things left to do')

    await follow(/^Create or import/)
    await createChallenge(page, 'Logbook', 'Static: one flag for everyone')
    await toList()
    await left('3 things left to do')
    await follow(/^Add a flag to Logbook/)
    await page.getByRole('textbox', { name: 'Flags, one per line' }).fill('flag{by_list}')
    await page.getByRole('button', { name: 'Add 1 flag' }).click()
    await page.getByText('1 flag added').first().waitFor()
    await toList()
    await list.getByText('Every challenge has a flag.').waitFor()
    await page.getByRole('switch', { name: 'Logbook enabled' }).click()
    await left('1 thing left to do')

    await page.goto('/admin/games')
    await page.getByRole('row', { name: title }).getByRole('link', { name: '1 thing left' }).click()
    await follow(/^Publish:/)
    await page.locator('#hidden:focus-visible').waitFor()
    await page.keyboard.press('Space')
    await page.keyboard.press('Control+s')
    await list.getByText('Ready to start').waitFor()
    expect(await list.getByRole('listitem').allTextContents()).toEqual([
      'No poster (the game list shows a plain color)., optional',
    ])
    const listed = await new ApiActor(baseUrl).call(operations.listGames)
    expect(listed.map((game) => game.title)).toContain(title)
    expect(errors).toEqual([])
    await close()
  })

  test('an organizer reviews many teams at once by keyboard, and undoes a mistake', async () => {
    const { id } = await organizer.openGame({ acceptWithoutReview: false })
    const teamCount = isFullRun ? 60 : 10
    // One team after another, because the platform refuses a registration whose turn does not come within a minute.
    for (let team = 0; team < teamCount; team += 1) {
      const crew = await aCrew(baseUrl)
      await crew.actor.join(id, crew.teamId)
    }
    const counts = async () => {
      const all = await organizer.actor.call(operations.listParticipations, { params: { id } })
      const of = (status: string) => all.filter((one) => one.status === status).length
      return [of('Pending'), of('Accepted'), of('Rejected'), of('Suspended')]
    }
    const { page, errors, close } = await open(`/admin/games/${id}/review`)
    await page.getByRole('radio', { name: `Waiting ${teamCount}` }).waitFor()
    await page.keyboard.press('a')
    await page.getByText('1 team accepted').first().waitFor()
    await page.getByRole('radio', { name: `Waiting ${teamCount - 1}` }).waitFor()
    await page.keyboard.press('r')
    await page.getByText('1 team rejected').first().waitFor()
    await page.getByRole('radio', { name: `Waiting ${teamCount - 2}` }).waitFor()
    for (let team = 0; team < 3; team += 1) {
      await page.keyboard.press('x')
      await page.keyboard.press('j')
    }
    await page.getByText('3 teams selected').waitFor()
    await page.keyboard.press('r')
    // The toast does not expire while the pointer is on it.
    await page.getByRole('button', { name: 'Undo' }).last().hover()
    await page.getByText('3 teams rejected').first().waitFor()
    await page.getByRole('radio', { name: 'Rejected 4' }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await page.getByText('3 teams restored').first().waitFor()
    expect(await counts()).toEqual([teamCount - 2, 1, 1, 0])
    await page.getByRole('checkbox', { name: 'Select all teams shown' }).click()
    await page.getByText(`${teamCount - 2} teams selected`).waitFor()
    await page.keyboard.press('a')
    await page
      .getByText(`${teamCount - 2} teams accepted`)
      .first()
      .waitFor({ timeout: 60_000 })
    await page.getByText('No teams are waiting for review').waitFor()
    await page.getByRole('radio', { name: `Accepted ${teamCount - 1}` }).click()
    await page.getByText('No teams are waiting for review').waitFor({ state: 'hidden' })
    await page.getByRole('checkbox', { name: 'Select all teams shown' }).waitFor()
    await page.keyboard.press('s')
    await page.getByText('1 team suspended').first().waitFor()
    expect(await counts()).toEqual([0, teamCount - 2, 1, 1])
    expect(errors).toEqual([])
    await close()
  })

  test('two monitors follow the same event together, and see no controls of admins', async () => {
    const { id, challenges } = await organizer.openGame({}, [{ title: 'Buoy', flag: 'flag{afloat}' }])
    const crews = [await aCrew(baseUrl), await aCrew(baseUrl)] as const
    for (const crew of crews) await crew.actor.join(id, crew.teamId)
    const watcher = await aPlayer(baseUrl)
    const { data } = await organizer.actor.call(operations.searchUsers, { query: { hint: watcher.userName } })
    await organizer.actor.call(operations.updateUser, { params: { id: data[0]?.id ?? '' }, body: { role: 'Monitor' } })
    await watcher.actor.logIn(watcher.userName, watcher.password)

    const desk = await open(`/games/${id}/monitor`, watcher.actor)
    const feed = await open(`/games/${id}/monitor/submissions`, watcher.actor)
    await desk.page.getByText('All clear').waitFor()
    await feed.page.getByText('No submissions yet').waitFor()
    await feed.page.getByText('Live', { exact: true }).first().waitFor()
    const challenge = challenges.get('Buoy') ?? 0
    await crews[0].actor.submitFlag(id, challenge, 'flag{sunk}')
    await crews[1].actor.submitFlag(id, challenge, 'flag{afloat}')
    await feed.page.getByRole('rowheader', { name: crews[0].teamName }).waitFor()
    await feed.page.getByRole('rowheader', { name: crews[1].teamName }).waitFor()
    await desk.page.getByRole('region', { name: 'First bloods and alerts' }).getByText(crews[1].teamName).waitFor()
    await desk.page
      .getByRole('region', { name: 'Submissions' })
      .getByText(/2 in the last hour/)
      .first()
      .waitFor()
    expect(await desk.page.locator('a[href*="/admin"]').count()).toBe(0)

    await feed.page.goto(`/admin/games/${id}/review`)
    await feed.page.getByText('You don’t have access to this page').waitFor()
    const outsider = await open(`/games/${id}/monitor`, crews[0].actor)
    await outsider.page.getByText('You don’t have access to this page').waitFor()
    expect([...desk.errors, ...feed.errors, ...outsider.errors]).toEqual([])
    for (const each of [desk, feed, outsider]) await each.close()
  })

  test('an organizer reads and downloads writeups, saves sheets and inspects recordings after the end of a game', async () => {
    const { id, title, challenges } = await organizer.openGame({ writeupRequired: true }, [
      { title: 'Buoy', flag: 'flag{afloat}' },
    ])
    const crews = [await aCrew(baseUrl), await aCrew(baseUrl)] as const
    for (const crew of crews) {
      await crew.actor.join(id, crew.teamId)
      await crew.actor.submitFlag(id, challenges.get('Buoy') ?? 0, 'flag{afloat}')
      await crew.actor.call(operations.submitWriteup, { params: { id }, files: [pdf] })
    }
    const { page, errors, close } = await open(`/admin/games/${id}/writeups`)
    await page.getByText('1 of 2').waitFor()
    await page.keyboard.press('j')
    await page.getByText('2 of 2').waitFor()
    const [archive] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download all' }).click()])
    expect(await fileOf(archive)).toMatchObject({ failure: null, name: expect.stringMatching(/\.tar\.gz$/) })

    await page.goto(`/games/${id}/monitor/submissions`)
    for (const format of ['XLSX', 'CSV']) {
      await page.getByRole('button', { name: 'Download spreadsheet' }).click()
      const item = page.getByRole('menuitem', { name: format })
      const [submissions] = await Promise.all([page.waitForEvent('download'), item.click()])
      const name = new RegExp(`^${title}_Submissions_\\d{14}\\.${format.toLowerCase()}$`)
      expect(await fileOf(submissions)).toMatchObject({ failure: null, name: expect.stringMatching(name) })
    }
    const sheet = await organizer.actor.download(operations.downloadScoreboard, { params: { id } })
    expect(Buffer.from(sheet).subarray(0, 2).toString()).toBe('PK')

    await page.goto(`/games/${id}/monitor/traffic`)
    await page.getByText('No traffic is recorded').waitFor()
    await page.getByRole('radio', { name: 'Connections' }).click()
    await page.getByText('No connections yet').waitFor()
    expect(errors).toEqual([])
    await close()
  })

  test('an organizer downloads a finished game as pages that open from the disk', async () => {
    const crew = await aCrew(baseUrl)
    const id = await organizer.openPastGame(crew)
    const { page, errors, close } = await open(`/admin/games/${id}/info`)
    await page.getByRole('button', { name: 'Download archive' }).click()
    await inDialog(page).getByText('No team has submitted a writeup.').waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      inDialog(page).getByRole('button', { name: 'Download archive' }).click(),
    ])
    expect(await fileOf(download)).toMatchObject({ failure: null, name: expect.stringMatching(/-archive-.*\.zip$/) })
    const folder = await mkdtemp(path.join(tmpdir(), 'capstan-archive-'))
    const zip = path.join(folder, 'archive.zip')
    await download.saveAs(zip)
    const files = Object.entries(unzipSync(await readFile(zip)))
    for (const [name, content] of files) {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
      await writeFile(path.join(folder, name), content)
    }
    const index = files.find(([name]) => name.endsWith('/index.html'))?.[0] ?? ''
    await page.goto(pathToFileURL(path.join(folder, index)).href)
    await page.getByRole('img', { name: 'Points over time' }).waitFor()
    await page.getByRole('link', { name: 'Challenges' }).click()
    await page.getByRole('link', { name: 'Buoy' }).click()
    await page.getByRole('heading', { name: 'Buoy' }).waitFor()
    expect(await page.getByRole('row').count()).toBe(2)
    await rm(folder, { recursive: true })
    expect(errors).toEqual([])
    await close()
  })

  test('an organizer sees a conflict if another organizer has edited the same field, and does not lose any input', async () => {
    const { id } = await organizer.openGame()
    const early = await open(`/admin/games/${id}/info`)
    const late = await open(`/admin/games/${id}/info`)
    await late.page.getByLabel('Summary').fill('Mine, later.')
    await early.page.getByLabel('Summary').fill('Mine, first.')
    // Delay the poll of the page. The page then notices the other organizer's change only when it saves.
    const isSaving = Promise.withResolvers<void>()
    await late.page.route(`**/api/edit/games/${id}`, async (route) => {
      if (route.request().method() === 'GET') await isSaving.promise
      await route.continue()
    })
    await save(early.page, 'Game saved')
    await late.page.getByRole('button', { name: 'Save changes' }).click()
    isSaving.resolve()
    await late.page.getByText('Someone else has changed this in the meantime').waitFor()
    const stored = async () => (await organizer.actor.call(operations.adminGetGame, { params: { id } })).summary
    expect(await stored()).toBe('Mine, first.')
    await late.page.getByRole('button', { name: 'Keep mine' }).click()
    await save(late.page, 'Game saved')
    expect(await stored()).toBe('Mine, later.')

    await late.page.getByLabel('Summary').fill('Never saved.')
    await late.page.getByRole('link', { name: 'Notices' }).last().click()
    await inDialog(late.page).getByRole('button', { name: 'Stay' }).click()
    expect(await late.page.getByLabel('Summary').inputValue()).toBe('Never saved.')
    expect([...early.errors, ...late.errors]).toEqual([])
    await early.close()
    await late.close()
  })

  test('an interrupted upload shows its error next to the form, and an organizer can upload the files again', async () => {
    const { id } = await organizer.openGame()
    const { id: cid } = await organizer.actor.call(operations.createChallenge, {
      params: { id },
      body: { title: 'Charts', category: 'Misc', type: 'DynamicAttachment' },
    })
    const { page, errors, close } = await open(`/admin/games/${id}/challenges/${cid}/flags`)
    await page.route('**/api/assets*', (route) => route.abort('connectionreset'), { times: 1 })
    await page
      .locator('input[type=file]')
      .setInputFiles(
        ['flag{east}', 'flag{west}'].map((name) => ({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(name) })),
      )
    await page.getByRole('button', { name: 'Upload 2 files' }).click()
    await page.getByText('Network Error').waitFor()
    await page.getByRole('button', { name: 'Upload 2 files' }).click()
    await page.getByText('2 flags added').first().waitFor()
    const { flags } = await organizer.actor.call(operations.adminGetChallenge, { params: { id, cid } })
    expect(flags.map(({ flag, attachment }) => [flag, attachment?.type])).toEqual([
      ['flag{east}', 'Local'],
      ['flag{west}', 'Local'],
    ])
    expect(errors).toEqual([])
    await close()
  })

  test('the editor and the monitor page show why an instance with a missing image did not start', async () => {
    const { id } = await organizer.openGame()
    const params = { id }
    const { id: cid } = await organizer.actor.call(operations.createChallenge, {
      params,
      body: { title: 'Ghost ship', category: 'Pwn', type: 'DynamicContainer' },
    })
    const body = { containerImage: 'registry.example.org/ghost:1', containerExposePort: 80 }
    await organizer.actor.call(operations.updateChallenge, { params: { id, cid }, body })
    const { page, errors, close } = await open(`/admin/games/${id}/challenges/${cid}?section=container`)
    await page.getByRole('button', { name: 'Start test instance' }).click()
    await page.getByText('The test instance did not start').waitFor()
    await page.getByRole('listitem').filter({ hasText: 'Failed' }).first().waitFor()
    await page.goto(`/games/${id}/monitor`)
    await page.getByText('Ghost ship failed to start 1 time in the last hour').waitFor()
    await page.getByRole('link', { name: 'Open challenge' }).click()
    await page.getByRole('heading', { level: 1, name: 'Ghost ship' }).waitFor()
    expect(errors).toEqual([])
    await close()
  })
})
