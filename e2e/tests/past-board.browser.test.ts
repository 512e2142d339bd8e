import { operations } from '@capstan/contract/operations'
import { expect, test } from 'vitest'
import { describeJourneys } from '../support/journeys.ts'
import { aCrew, randomSuffix } from '../support/organizer.ts'
import { poll } from '../support/poll.ts'

describeJourneys('past scoreboards', (stage) => {
  test('a visitor moves the scoreboard back in time by keyboard, and the address restores the selected minute', async () => {
    const name = `Sloop ${randomSuffix()}`
    const game = await stage.organizer.openGame({}, [{ title: 'Lead Line', flag: 'flag{lead}', category: 'Crypto' }])
    const crew = await aCrew(stage.baseUrl, name)
    await crew.actor.join(game.id, crew.teamId)
    await crew.actor.submitFlag(game.id, game.challenges.get('Lead Line') ?? 0, 'flag{lead}')
    await poll('the solve to be on the board', async () => {
      const board = await crew.actor.call(operations.getScoreboard, { params: { id: game.id } })
      return board.items.some(({ solvedCount }) => solvedCount > 0)
    })
    const { page, errors, close } = await stage.openPage()
    await page.goto(`/games/${game.id}/scoreboard`)
    const team = page.getByRole('button', { name }).first()
    await team.waitFor()
    await page.getByRole('button', { name: 'History' }).click()
    const slider = page.getByRole('slider', { name: 'Time of the board' })
    await slider.focus()
    await page.keyboard.press('Home')
    await team.waitFor({ state: 'hidden' })
    const shared = page.url()
    expect(shared).toMatch(/at=\d+/)
    await page.keyboard.press('End')
    await team.waitFor()
    await page.goto(shared)
    await slider.waitFor()
    await team.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Back to the present' }).click()
    await team.waitFor()
    expect(errors).toEqual([])
    await close()
  })
})
