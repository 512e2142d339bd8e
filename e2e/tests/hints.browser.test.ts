import { operations, ownOperations } from '@capstan/contract/operations'
import { expect, test } from 'vitest'
import { describeJourneys } from '../support/journeys.ts'
import { aCrew, randomSuffix } from '../support/organizer.ts'
import { poll } from '../support/poll.ts'

describeJourneys('hints with a price', (stage) => {
  const { baseUrl, openPage } = stage
  const mark = randomSuffix()

  test('an organizer sets the price of a hint, a player buys it for the team, and the organizer sees the purchase', async () => {
    const game = await stage.organizer.openGame({ bloodBonus: 0 }, [
      { title: 'Lead Line', flag: 'flag{lead}' },
      { title: 'Fathom', flag: 'flag{fathom}' },
    ])
    const [solvedId, pricedId] = [game.challenges.get('Lead Line') ?? 0, game.challenges.get('Fathom') ?? 0]
    const desk = await openPage({ actor: stage.organizer.actor })
    await desk.page.goto(`/admin/games/${game.id}/challenges/${pricedId}?section=hints`)
    const add = desk.page.getByRole('button', { name: 'Add a hint' })
    await add.click()
    await desk.page.getByRole('textbox', { name: 'Hint 1', exact: true }).fill('Look down.')
    await add.click()
    await desk.page.getByRole('textbox', { name: 'Hint 2', exact: true }).fill('Six feet **deep**.')
    await desk.page.getByLabel('Price of hint 2').fill('300')
    await desk.page.getByRole('button', { name: 'Save changes' }).click()
    const params = { id: game.id, cid: pricedId }
    await poll('both hints to be saved', async () => {
      const { challenge } = await stage.organizer.actor.call(ownOperations.getFullChallenge, { params })
      return challenge.hints.length === 2 && challenge.hints[1]?.price === 300
    })
    expect(desk.errors).toEqual([])

    const crew = await aCrew(baseUrl, `Crew ${mark}`)
    await crew.actor.join(game.id, crew.teamId)
    await crew.actor.call(operations.getChallenge, { params: { id: game.id, cid: solvedId } })
    const { page, errors, close } = await openPage({ actor: crew.actor })
    await page.goto(`/games/${game.id}/challenges/${pricedId}`)
    await page.getByText('2 hints').click()
    await page.getByText('Look down.').waitFor()
    expect(await page.content()).not.toContain('Six feet')

    await page.getByRole('button', { name: 'Buy for 300 points' }).click()
    const question = page.getByRole('alertdialog', { name: 'Buy this hint for 300 points?' })
    await question.getByRole('button', { name: 'Buy hint' }).click()
    await question.getByText('Your team has too few points for this hint').waitFor()
    await question.getByRole('button', { name: 'Cancel' }).click()

    await crew.actor.submitFlag(game.id, solvedId, 'flag{lead}')
    await page.getByRole('button', { name: 'Buy for 300 points' }).click()
    await question.getByRole('button', { name: 'Buy hint' }).click()
    await question.waitFor({ state: 'detached' })
    await page.getByText('Six feet deep.').waitFor()
    expect(await page.getByRole('button', { name: /^Buy for/ }).count()).toBe(0)
    await poll('the price to be subtracted', async () => {
      const { items } = await crew.actor.call(operations.getScoreboard, { params: { id: game.id } })
      return items.find(({ id }) => id === crew.teamId)?.score === 700
    })
    expect(errors).toEqual([])
    await close()

    await desk.page.goto(`/games/${game.id}/monitor/events`)
    await desk.page.getByRole('row').filter({ hasText: 'bought a hint (300 pts) of' }).filter({ hasText: 'Fathom' }).waitFor()
    expect(desk.errors).toEqual([])
    await desk.close()
  })
})
