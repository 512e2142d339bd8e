import { expect, test } from 'vitest'
import { describeJourneys } from '../support/journeys.ts'
import { aCrew } from '../support/organizer.ts'

const sticksOut = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

describeJourneys('the survey after a game', (stage) => {
  const { baseUrl, openPage } = stage

  test('an admin enables the survey, a player answers by keyboard on a phone, and the organizer reads and downloads the answers', async () => {
    const crew = await aCrew(baseUrl)
    const gameId = await stage.organizer.openPastGame(crew)
    const desk = await openPage({ actor: stage.organizer.actor })
    await desk.page.goto(`/admin/games/${gameId}/info`)
    await desk.page.getByRole('combobox', { name: 'Survey after the end' }).selectOption({ label: 'Anonymous' })
    await desk.page.getByRole('button', { name: 'Save' }).click()
    await desk.page.getByText('Game saved', { exact: true }).waitFor()

    const player = await openPage({ actor: crew.actor, width: 390 })
    await player.page.goto(`/games/${gameId}`)
    await player.page.getByText('Rate the challenges', { exact: true }).click()
    await player.page.getByRole('radiogroup', { name: 'Rating: Buoy' }).getByRole('radio').first().focus()
    await player.page.keyboard.press('Space')
    await player.page.keyboard.press('ArrowRight')
    await player.page.getByLabel(/^Comment Buoy/).fill('Too wet')
    expect(await player.page.evaluate(sticksOut)).toBe(0)
    await player.page.getByRole('button', { name: 'Save changes' }).click()
    await player.page.getByText('Answers saved', { exact: true }).waitFor()

    await desk.page.goto(`/games/${gameId}/monitor/survey`)
    await desk.page.getByText('Too wet', { exact: true }).waitFor()
    expect(await desk.page.locator('main').innerText()).not.toContain(crew.userName)
    const [download] = await Promise.all([
      desk.page.waitForEvent('download'),
      desk.page.getByRole('link', { name: 'CSV', exact: true }).click(),
    ])
    expect([download.suggestedFilename(), await download.failure()]).toEqual([expect.stringMatching(/_Survey_\d+\.csv$/), null])
    expect([...player.errors, ...desk.errors]).toEqual([])
    await player.close()
    await desk.close()
  })
})
