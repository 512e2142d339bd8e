import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describeJourneys } from '../support/journeys.ts'
import { aCrew, randomSuffix } from '../support/organizer.ts'

/** Clicks a download link. @returns the name of the file, and the reason of a failure */
async function fileFrom(page: Page, label: string) {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: label, exact: true }).click(),
  ])
  return { name: download.suggestedFilename(), failure: await download.failure() }
}

describeJourneys('certificates of a game', (stage) => {
  const { baseUrl, openPage } = stage

  test('an organizer offers certificates with a logo, and players download them after the end of the game', async () => {
    const crew = await aCrew(baseUrl, `صوار ${randomSuffix()}`)
    const gameId = await stage.organizer.openPastGame(crew)
    const desk = await openPage({ actor: stage.organizer.actor })
    await desk.page.goto(`/admin/games/${gameId}/certificate`)
    await desk.page.getByText('Save the certificates to see a preview').waitFor()
    await desk.page.getByLabel('Text below the signature').fill('{captain}')
    await desk.page.getByText('{captain} is not a placeholder.').waitFor()
    await desk.page.getByLabel('Text below the signature').fill('The harbor master')
    await desk.page.getByRole('switch', { name: 'Offer certificates' }).click()
    await desk.page.getByRole('button', { name: 'Save' }).click()
    await desk.page.getByText('Certificates saved', { exact: true }).waitFor()

    const logo = desk.page.getByRole('region', { name: 'Logo' })
    const picture = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
      'base64',
    )
    await logo.locator('input[type=file]').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: picture })
    await logo.getByRole('img', { name: 'Logo' }).waitFor()
    await desk.page.getByRole('combobox', { name: 'Kind of certificate' }).selectOption({ label: 'Without a rank' })
    expect(await fileFrom(desk.page, 'Download all certificates')).toEqual({
      name: expect.stringMatching(/-certificates\.zip$/),
      failure: null,
    })

    const { page, errors, close } = await openPage({ actor: crew.actor })
    await page.goto(`/games/${gameId}`)
    for (const [label, name] of [
      ['Certificate', crew.userName],
      ['Team certificate', crew.teamName],
    ] as const)
      expect(await fileFrom(page, label)).toEqual({ name: expect.stringContaining(`-${name}.pdf`), failure: null })
    expect([...errors, ...desk.errors]).toEqual([])
    await close()
    await desk.close()
  })
})
