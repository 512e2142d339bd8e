import { operations } from '@capstan/contract/operations'
import { expect, test } from 'vitest'
import { describeJourneys } from '../support/journeys.ts'
import { aCrew, randomSuffix } from '../support/organizer.ts'
import { poll } from '../support/poll.ts'

describeJourneys('divisions with rights', (stage) => {
  const { baseUrl, openPage } = stage
  const mark = randomSuffix()

  test('teams of an unranked division are listed without a rank below the ranked teams', async () => {
    const game = await stage.organizer.openGame({ organizations: ['Open'] }, [
      { title: 'Lead Line', flag: 'flag{lead}', category: 'Crypto' },
    ])
    const desk = await openPage({ actor: stage.organizer.actor })
    await desk.page.goto(`/admin/games/${game.id}/info`)
    await desk.page.getByRole('button', { name: 'Add a division' }).click()
    await desk.page.getByLabel('Name').fill('Guests')
    for (const right of ['Ranked overall', 'Get bloods', 'Count for the value of challenges'])
      await desk.page.getByRole('checkbox', { name: right, exact: true }).click()
    await desk.page.getByRole('button', { name: 'Create' }).click()
    await desk.page.getByRole('listitem').filter({ hasText: 'Guests' }).getByText('Not ranked').waitFor()
    expect(desk.errors).toEqual([])
    await desk.close()

    const [guest, crew] = [await aCrew(baseUrl, `Guest ${mark}`), await aCrew(baseUrl, `Crew ${mark}`)]
    await guest.actor.join(game.id, guest.teamId, 'Guests')
    await crew.actor.join(game.id, crew.teamId, 'Open')
    for (const { id, status } of await stage.organizer.actor.call(operations.listParticipations, { params: { id: game.id } }))
      if (status !== 'Accepted')
        await stage.organizer.actor.call(operations.setParticipationStatus, { params: { id, status: 'Accepted' } })
    const challengeId = game.challenges.get('Lead Line') ?? 0
    for (const { actor } of [guest, crew]) {
      await actor.call(operations.getChallenge, { params: { id: game.id, cid: challengeId } })
      await actor.submitFlag(game.id, challengeId, 'flag{lead}')
    }
    await poll('both solves to be on the board', async () => {
      const { items } = await crew.actor.call(operations.getScoreboard, { params: { id: game.id } })
      return items.filter(({ solvedCount }) => solvedCount > 0).length === 2
    })

    const { page, errors, close } = await openPage({ actor: guest.actor })
    await page.goto(`/games/${game.id}/scoreboard`)
    const unranked = page.getByRole('region', { name: 'Not ranked' }).first()
    await unranked.getByRole('button', { name: guest.teamName }).waitFor()
    const ranked = page.getByRole('table', { name: 'Standings' })
    await ranked.getByRole('button', { name: crew.teamName }).first().waitFor()
    expect(await ranked.getByRole('button', { name: guest.teamName }).count()).toBe(0)
    await page.getByRole('radio', { name: 'Guests' }).click()
    await ranked.getByRole('button', { name: guest.teamName }).first().waitFor()
    await unranked.waitFor({ state: 'detached' })
    expect(errors).toEqual([])
    await close()
  })
})
