import { operations, ownOperations } from '@capstan/contract/operations'
import { expect, test } from 'vitest'
import { describeJourneys } from '../support/journeys.ts'
import { aCrew, randomSuffix } from '../support/organizer.ts'
import { poll } from '../support/poll.ts'

describeJourneys('unlocking', (stage) => {
  const { baseUrl, openPage } = stage
  const mark = randomSuffix()

  test('after a correct flag unlocks two challenges, the player’s page shows the challenges without a reload', async () => {
    const game = await stage.organizer.openGame({ bloodBonus: 0 }, [
      { title: 'Gangway', flag: 'flag{gangway}' },
      { title: 'Wheelhouse', flag: 'flag{wheel}' },
      { title: 'Secret Hold', flag: 'flag{hold}' },
    ])
    const idOf = (title: string) => game.challenges.get(title) ?? 0
    const desk = await openPage({ actor: stage.organizer.actor })
    const lock = async (title: string, view: 'Shown' | 'Hidden') => {
      await desk.page.goto(`/admin/games/${game.id}/challenges/${idOf(title)}?section=rules`)
      await desk.page.getByRole('searchbox', { name: 'Search challenges' }).fill('gang')
      await desk.page.getByRole('checkbox', { name: /^Gangway/ }).check()
      await desk.page.getByRole('combobox', { name: 'Before it opens' }).selectOption(view)
      await desk.page.getByRole('button', { name: 'Save changes' }).click()
      const params = { id: game.id, cid: idOf(title) }
      await poll(`the rule of ${title} to be saved`, async () => {
        const { challenge } = await stage.organizer.actor.call(ownOperations.getFullChallenge, { params })
        return challenge.unlock?.after[0] === idOf('Gangway') && challenge.unlock.locked === view
      })
    }
    await lock('Wheelhouse', 'Shown')
    await lock('Secret Hold', 'Hidden')
    await desk.page.goto(`/admin/games/${game.id}/challenges`)
    await desk.page.getByRole('img', { name: 'Teams must unlock it' }).nth(1).waitFor()
    expect(desk.errors).toEqual([])
    await desk.close()

    const crew = await aCrew(baseUrl, `Crew ${mark}`)
    await crew.actor.join(game.id, crew.teamId)
    await poll('the hidden challenge to leave the details', async () => {
      const { challengeCount, locked } = await crew.actor.call(operations.getPlayerBoard, { params: { id: game.id } })
      return challengeCount === 2 && locked?.length === 1
    })
    const { page, errors, close } = await openPage({ actor: crew.actor })
    await page.goto(`/games/${game.id}/challenges`)
    await page.getByRole('link', { name: /Wheelhouse.*Locked.*0 of 1 prerequisites/ }).click()
    const dialog = page.getByRole('dialog', { name: /Wheelhouse/ })
    await dialog.getByRole('heading', { name: 'This challenge is locked' }).waitFor()
    expect(await page.content()).not.toContain('Secret Hold')
    await dialog.getByRole('link', { name: 'Gangway' }).click()
    const open = page.getByRole('dialog', { name: /Gangway/ })
    await open.getByRole('textbox', { name: /^Flag/ }).fill('flag{gangway}')
    await open.getByRole('button', { name: 'Submit' }).click()
    await open.getByRole('button', { name: 'Close', exact: true }).click()
    await page.getByRole('link', { name: /Secret Hold/ }).waitFor()
    await page.getByRole('link', { name: /Wheelhouse/ }).click()
    await dialog.getByRole('textbox', { name: /^Flag/ }).waitFor()
    expect(errors).toEqual([])
    await close()
  })
})
