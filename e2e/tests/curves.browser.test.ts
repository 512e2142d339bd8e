import { operations } from '@capstan/contract/operations'
import { expect, test } from 'vitest'
import { describeJourneys } from '../support/journeys.ts'
import { aCrew, type Crew } from '../support/organizer.ts'

describeJourneys('the curve of a challenge', (stage) => {
  const { baseUrl, openPage } = stage

  test('an organizer chooses a curve with fixed values, and players see the current value', async () => {
    const game = await stage.organizer.openGame({}, [{ title: 'Kraken', flag: 'flag{kraken}', category: 'Pwn' }])
    const id = game.challenges.get('Kraken') ?? 0
    const crews: Crew[] = []
    for (let index = 0; index < 2; index += 1) {
      const crew = await aCrew(baseUrl)
      await crew.actor.join(game.id, crew.teamId)
      crews.push(crew)
    }
    const [first, second] = crews as [Crew, Crew]

    const organizing = await openPage({ actor: stage.organizer.actor })
    await organizing.page.goto(`/admin/games/${game.id}/challenges/${id}?section=score`)
    await organizing.page.getByLabel('Curve of the points').selectOption('Linear')
    await organizing.page.getByLabel('Points per solve').fill('100')
    await organizing.page.getByRole('img', { name: /^1000 points for the first solver, never below 250/ }).waitFor()
    // The fifth solver gets 1000 - 100 x 4 points.
    await organizing.page.getByText('600 points with 5 solvers.').waitFor()
    await organizing.page.getByRole('switch', { name: 'Points fixed at the solve' }).click()
    await organizing.page.getByRole('button', { name: 'Save changes' }).click()
    await organizing.page.getByText('Challenge saved').first().waitFor()
    await first.actor.submitFlag(game.id, id, 'flag{kraken}')

    const { page, errors, close } = await openPage({ actor: second.actor })
    await page.goto(`/games/${game.id}/challenges/${id}`)
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Flag', exact: true }).fill('flag{kraken}')
    await dialog.getByRole('button', { name: 'Submit' }).click()
    // The second solver gets 900 points plus 3 percent for the second blood.
    await dialog.getByText('+927 points').waitFor()
    await page.keyboard.press('Escape')
    await page
      .getByRole('link', { name: /Kraken.*Solved/ })
      .filter({ hasText: '900' })
      .waitFor()
    const scores = async () => {
      const { items } = await first.actor.call(operations.getScoreboard, { params: { id: game.id } })
      return items.map(({ name, score }) => [name, score])
    }
    // The first solver still has 1000 points plus 5 percent for the first blood.
    await expect.poll(scores, { timeout: 60_000 }).toEqual([
      [first.teamName, 1050],
      [second.teamName, 927],
    ])
    expect([errors, organizing.errors]).toEqual([[], []])
    await organizing.close()
    await close()
  })
})
