import { expect, test } from 'vitest'
import { describeJourneys } from '../support/journeys.ts'
import { aCrew, randomSuffix } from '../support/organizer.ts'

describeJourneys('questions of a registration', (stage) => {
  const { baseUrl, openPage } = stage

  test('an organizer asks questions, a player answers them, and the review shows the answers', async () => {
    const game = await stage.organizer.openGame()
    const desk = await openPage({ actor: stage.organizer.actor })
    await desk.page.goto(`/admin/games/${game.id}/info`)
    const add = desk.page.getByRole('button', { name: 'Add a question' })
    await add.click()
    await desk.page.getByLabel('Question 1', { exact: true }).fill('Shirt size')
    await desk.page.getByLabel('Answer', { exact: true }).selectOption('Choice')
    await desk.page.getByLabel('Options, one per line').fill('S\nM')
    await desk.page.getByRole('checkbox', { name: 'Required' }).check()
    await add.click()
    await desk.page.getByLabel('Question 2', { exact: true }).fill('University')
    await desk.page.getByLabel('Asked').nth(1).selectOption('Team')
    await desk.page.getByRole('button', { name: 'Move question 2 up' }).press('Enter')
    await desk.page.getByRole('button', { name: 'Save' }).click()
    await desk.page.getByText('Game saved', { exact: true }).waitFor()
    await desk.page.reload()
    await expect.poll(() => desk.page.getByLabel('Question 1', { exact: true }).inputValue()).toBe('University')

    const crew = await aCrew(baseUrl, `Asked ${randomSuffix()}`)
    const { page, errors, close } = await openPage({ actor: crew.actor })
    await page.goto(`/games/${game.id}`)
    await page.getByRole('button', { name: 'Join game' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('University').fill('Coast University')
    await dialog.getByRole('button', { name: 'Join game' }).click()
    await dialog.getByText('Please answer this question').waitFor()
    await dialog.getByLabel('Shirt size').selectOption('M')
    await dialog.getByRole('button', { name: 'Join game' }).click()
    await dialog.waitFor({ state: 'detached' })

    await page.goto(`/games/${game.id}`)
    await page.getByRole('button', { name: 'Show answers' }).click()
    await dialog.getByLabel('Shirt size').selectOption('S')
    await dialog.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Answers saved', { exact: true }).waitFor()

    await desk.page.goto(`/admin/games/${game.id}/review?status=all&team=${crew.teamId}`)
    const answers = desk.page.getByRole('region', { name: 'Answers', exact: true })
    await answers.getByText('Coast University').waitFor()
    await answers.getByText('S', { exact: true }).waitFor()
    expect([...errors, ...desk.errors]).toEqual([])
    await close()
    await desk.close()
  })

  test('a player who joined with an older client is asked for missing answers', async () => {
    const game = await stage.organizer.openGame({
      questions: [
        { scope: 'Member', kind: 'Consent', title: 'I accept the rules', required: true },
        { scope: 'Team', kind: 'File', title: 'Logo' },
      ],
    })
    const crew = await aCrew(baseUrl)
    await crew.actor.join(game.id, crew.teamId)
    const desk = await openPage({ actor: stage.organizer.actor })
    await desk.page.goto(`/admin/games/${game.id}/review?status=all`)
    await desk.page.getByRole('row').filter({ hasText: crew.teamName }).getByText('Answers missing').waitFor()

    const { page, errors, close } = await openPage({ actor: crew.actor })
    await page.goto(`/games/${game.id}`)
    await page.getByText('Some answers are missing').waitFor()
    await page.getByRole('button', { name: 'Answer now' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('I accept the rules').check()
    await dialog.locator('input[type=file]').setInputFiles({
      ...{ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') },
    })
    await dialog.getByRole('link', { name: 'logo.svg' }).waitFor()
    await dialog.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('button', { name: 'Show answers' }).waitFor()
    await desk.page.reload()
    await desk.page.getByRole('row').filter({ hasText: crew.teamName }).getByText('Accepted').waitFor()
    expect(await desk.page.getByText('Answers missing').count()).toBe(0)
    expect([...errors, ...desk.errors]).toEqual([])
    await close()
    await desk.close()
  })
})
