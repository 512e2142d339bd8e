import { operations, ownOperations } from '@capstan/contract/operations'
import { expect, test } from 'vitest'
import { describeJourneys } from '../support/journeys.ts'
import { aCrew, randomSuffix } from '../support/organizer.ts'
import { poll } from '../support/poll.ts'

describeJourneys('several flags with their own points', (stage) => {
  const { baseUrl, openPage } = stage
  const mark = randomSuffix()

  test('an organizer sets points for flags, and a player finds the flags one by one', async () => {
    const game = await stage.organizer.openGame({ bloodBonus: 0 }, [{ title: 'Three Decks', flag: 'flag{upper}' }])
    const challengeId = game.challenges.get('Three Decks') ?? 0
    const params = { id: game.id, cid: challengeId }
    await stage.organizer.actor.call(operations.addFlags, { params, body: [{ flag: 'flag{lower}' }] })
    const desk = await openPage({ actor: stage.organizer.actor })
    await desk.page.goto(`/admin/games/${game.id}/challenges/${challengeId}?section=flags`)
    const row = desk.page.getByRole('row').filter({ hasText: 'flag{upper}' })
    await row.getByRole('button', { name: 'Edit flag' }).click()
    await desk.page.getByRole('spinbutton', { name: 'Points' }).fill('40')
    await desk.page.getByRole('button', { name: 'Save flag' }).click()
    await desk.page.getByText('Teams must find all 2 flags.').waitFor()
    const { challenge } = await stage.organizer.actor.call(ownOperations.getFullChallenge, { params })
    expect(challenge.flags.map(({ flag, points }) => [flag, points])).toEqual([
      ['flag{upper}', 40],
      ['flag{lower}', undefined],
    ])
    expect(desk.errors).toEqual([])
    await desk.close()

    const crew = await aCrew(baseUrl, `Crew ${mark}`)
    await crew.actor.join(game.id, crew.teamId)
    const { page, errors, close } = await openPage({ actor: crew.actor })
    await page.goto(`/games/${game.id}/challenges/${challengeId}`)
    await page.getByText('0 of 2 flags found').waitFor()
    const field = page.getByRole('textbox', { name: 'Flag', exact: true })
    await field.fill('flag{upper}')
    await field.press('Enter')
    await page.getByText('Flag found, +40 points').waitFor()
    await page.getByText('1 of 2 flags found').waitFor()
    const board = await openPage({ actor: crew.actor, width: 390 })
    await board.page.goto(`/games/${game.id}/challenges`)
    await board.page
      .getByRole('link', { name: /Three Decks/ })
      .getByText('1 of 2 flags', { exact: true })
      .waitFor()
    await board.close()
    const scoreOf = async () => {
      const { items } = await crew.actor.call(operations.getScoreboard, { params: { id: game.id } })
      return items.find(({ id }) => id === crew.teamId)?.score
    }
    await poll('the points of the first flag to count', async () => (await scoreOf()) === 40)
    await field.fill('flag{lower}')
    await field.press('Enter')
    await page.getByText('2 of 2 flags found').waitFor()
    await page.getByRole('region', { name: 'Solved' }).waitFor()
    await poll('the points of the challenge to count', async () => (await scoreOf()) === 1040)
    expect(errors).toEqual([])
    await close()
  })
})
