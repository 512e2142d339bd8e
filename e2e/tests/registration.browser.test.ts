import { expect, test } from 'vitest'
import { describeJourneys } from '../support/journeys.ts'
import { aCrew, randomSuffix } from '../support/organizer.ts'

/** Timeout for changes that a page polls every 10 s. */
const noticed = { timeout: 120_000 }
const hourMs = 3_600_000

describeJourneys('registration for a game', (stage) => {
  const { baseUrl, openPage } = stage
  const mark = randomSuffix()

  test('a team waits for a free place, and gets the place when an organizer rejects another team', async () => {
    const game = await stage.organizer.openGame()
    const desk = await openPage({ actor: stage.organizer.actor })
    await desk.page.goto(`/admin/games/${game.id}/info`)
    await desk.page.getByLabel('Maximum number of teams').fill('1')
    await desk.page.getByRole('button', { name: 'Save' }).click()
    await desk.page.getByText('Game saved', { exact: true }).waitFor()

    const [first, second] = [await aCrew(baseUrl, `First ${mark}`), await aCrew(baseUrl, `Second ${mark}`)]
    await first.actor.join(game.id, first.teamId)
    const { page, errors, close } = await openPage({ actor: second.actor })
    await page.goto(`/games/${game.id}`)
    await page.getByText('All places are taken').waitFor()
    await page.getByRole('button', { name: 'Join game' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Join game' }).click()
    await page.getByText('Place 1 on the waiting list').waitFor()

    await desk.page.goto(`/admin/games/${game.id}/review?status=all`)
    const row = desk.page.getByRole('row').filter({ hasText: second.teamName })
    await row.getByText('Waiting list: 1').waitFor()
    await stage.organizer.setStatus(game.id, first.teamId, 'Rejected')
    await page.getByText('You’re in').waitFor(noticed)
    await desk.page.reload()
    await row.getByText('Accepted').waitFor()
    expect([...errors, ...desk.errors]).toEqual([])
    await close()
    await desk.close()
  })

  test('an organizer accepts a waiting team beyond the limit', async () => {
    const game = await stage.organizer.openGame({ teamLimit: 1 })
    const [first, second] = [await aCrew(baseUrl, `Early ${mark}`), await aCrew(baseUrl, `Extra ${mark}`)]
    await first.actor.join(game.id, first.teamId)
    await second.actor.join(game.id, second.teamId)
    const { page, errors, close } = await openPage({ actor: stage.organizer.actor })
    await page.goto(`/admin/games/${game.id}/review?team=${second.teamId}`)
    await page.getByRole('button', { name: 'Accept beyond the limit' }).click()
    await page.getByRole('row').filter({ hasText: second.teamName }).getByText('Accepted').waitFor()
    await page.reload()
    await page.getByRole('row').filter({ hasText: second.teamName }).getByText('Accepted').waitFor()
    expect(errors).toEqual([])
    await close()
  })

  test('a player sees when the registration opens, and later that it has closed', async () => {
    const game = await stage.organizer.openGame({ registrationOpens: Date.now() + hourMs })
    const crew = await aCrew(baseUrl)
    const { page, errors, close } = await openPage({ actor: crew.actor })
    await page.goto(`/games/${game.id}`)
    await page.getByText('Registration has not opened yet').waitFor()
    expect(await page.getByRole('button', { name: 'Join game' }).count()).toBe(0)
    await stage.organizer.changeGame(game.id, {
      ...game.settings,
      registrationOpens: null,
      registrationCloses: Date.now() - hourMs,
    })
    await page.reload()
    await page.getByText('Registration is closed').waitFor()
    expect(errors).toEqual([])
    await close()
  })
})
