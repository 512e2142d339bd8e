import { operations } from '@capstan/contract/operations'
import { expect, test } from 'vitest'
import { describeJourneys } from '../support/journeys.ts'
import { aCrew, randomSuffix } from '../support/organizer.ts'
import { poll } from '../support/poll.ts'

describeJourneys('corrections by organizers', (stage) => {
  const { baseUrl, openPage } = stage
  const mark = randomSuffix()

  async function pointsOf(gameId: number, teamId: number) {
    const { items } = await stage.organizer.actor.call(operations.getScoreboard, { params: { id: gameId } })
    return items.find(({ id }) => id === teamId)?.score
  }

  test('on a phone, an organizer takes points from a team, the player reads the reason, and the organizer revokes the award', async () => {
    const game = await stage.organizer.openGame()
    const crew = await aCrew(baseUrl, `Crew ${mark}`)
    await crew.actor.join(game.id, crew.teamId)
    const desk = await openPage({ actor: stage.organizer.actor, width: 390 })
    await desk.page.goto(`/admin/games/${game.id}/corrections`)
    await desk.page.getByText('No corrections yet').waitFor()
    await desk.page.goto(`/admin/games/${game.id}/review?team=${crew.teamId}`)
    const details = desk.page.getByRole('dialog', { name: crew.teamName })
    await details.getByRole('button', { name: 'Add or deduct points' }).click()
    const form = desk.page.getByRole('dialog', { name: `Points for ${crew.teamName}` })
    await form.getByRole('radio', { name: 'Take points' }).press('Space')
    await form.getByRole('spinbutton', { name: 'Points' }).fill('25')
    await form.getByRole('textbox', { name: 'Reason' }).fill('Shared a flag')
    await form.getByRole('button', { name: 'Take points' }).press('Enter')
    await details.getByText('Shared a flag').waitFor()
    await poll('the points to be on the board', async () => (await pointsOf(game.id, crew.teamId)) === -25)

    const player = await openPage({ actor: crew.actor })
    await player.page.goto(`/games/${game.id}/scoreboard?team=${crew.teamId}`)
    const awards = player.page.getByRole('region', { name: 'Points by the organizers' })
    await awards.getByText('Shared a flag').waitFor()
    await awards.getByText('-25').waitFor()
    expect(player.errors).toEqual([])
    await player.close()

    await desk.page.goto(`/admin/games/${game.id}/corrections`)
    await desk.page.getByRole('button', { name: `Revoke -25 of ${crew.teamName}` }).click()
    await desk.page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
    await desk.page.getByText('Revoked by').waitFor()
    await poll('the points to leave the board', async () => (await pointsOf(game.id, crew.teamId)) === 0)
    expect(desk.errors).toEqual([])
    await desk.close()
  })

  test('an organizer takes back a solve in the list of submissions, restores the solve, and takes it back again on a phone', async () => {
    const game = await stage.organizer.openGame({}, [{ title: 'Lead Line', flag: 'flag{lead}' }])
    const crew = await aCrew(baseUrl, `Sounder ${mark}`)
    await crew.actor.join(game.id, crew.teamId)
    await crew.actor.submitFlag(game.id, game.challenges.get('Lead Line') ?? 0, 'flag{lead}')
    await poll('the solve to count', async () => (await pointsOf(game.id, crew.teamId)) !== 0)
    const desk = await openPage({ actor: stage.organizer.actor })
    const phone = await openPage({ actor: stage.organizer.actor, width: 390 })
    const takeBack = async ({ page }: typeof desk) => {
      await page.goto(`/games/${game.id}/monitor/submissions`)
      await page.getByRole('button', { name: `Take back the solve of Lead Line by ${crew.teamName}` }).click()
      const dialog = page.getByRole('dialog', { name: 'Take back the solve of “Lead Line”?' })
      await dialog.getByRole('textbox', { name: 'Reason' }).fill('Shared a flag')
      await dialog.getByRole('button', { name: 'Take a solve back' }).click()
      // The toast does not expire while the pointer is on it.
      await page.getByRole('button', { name: 'Undo' }).hover()
      await page.getByText(`Solve of ${crew.teamName} taken back`, { exact: true }).waitFor()
      await poll('the solve to leave the board', async () => (await pointsOf(game.id, crew.teamId)) === 0)
    }
    await takeBack(desk)
    await desk.page.getByRole('button', { name: 'Undo' }).click()
    await desk.page.getByText(`Solve of ${crew.teamName} restored`, { exact: true }).waitFor()
    await poll('the solve to count again', async () => (await pointsOf(game.id, crew.teamId)) !== 0)
    await takeBack(phone)
    expect([...desk.errors, ...phone.errors]).toEqual([])
    await phone.close()
    await desk.close()
  })

  test('an organizer takes back a solve, the player solves the challenge again, and a granted solve counts for another team', async () => {
    const game = await stage.organizer.openGame({}, [{ title: 'Lead Line', flag: 'flag{lead}', category: 'Crypto' }])
    const challengeId = game.challenges.get('Lead Line') ?? 0
    const [crew, guest] = [await aCrew(baseUrl, `Solver ${mark}`), await aCrew(baseUrl, `Guest ${mark}`)]
    for (const { actor, teamId } of [crew, guest]) await actor.join(game.id, teamId)
    await crew.actor.call(operations.getChallenge, { params: { id: game.id, cid: challengeId } })
    await crew.actor.submitFlag(game.id, challengeId, 'flag{lead}')
    const solvers = async () => {
      const { items } = await stage.organizer.actor.call(operations.getScoreboard, { params: { id: game.id } })
      return items.flatMap(({ id, solvedCount }) => (solvedCount > 0 ? [id] : []))
    }
    await poll('the solve to be on the board', async () => (await solvers()).length === 1)
    const desk = await openPage({ actor: stage.organizer.actor })
    const correct = async (team: typeof crew, action: string) => {
      await desk.page.goto(`/admin/games/${game.id}/review?team=${team.teamId}`)
      await desk.page.getByRole('button', { name: 'Correct a solve' }).click()
      const form = desk.page.getByRole('dialog', { name: `Solve of ${team.teamName}` })
      await form.getByRole('radio', { name: action }).click()
      await form.getByRole('combobox', { name: 'Challenge' }).selectOption('Lead Line')
      await form.getByRole('textbox', { name: 'Reason' }).fill('The flag leaked')
      await form.getByRole('button', { name: action }).click()
      await desk.page.getByText('The flag leaked').waitFor()
    }
    await correct(crew, 'Take a solve back')
    await poll('the solve to leave the board', async () => (await solvers()).length === 0)
    await correct(guest, 'Grant a solve')
    await poll('the granted solve to be on the board', async () => (await solvers())[0] === guest.teamId)
    expect(desk.errors).toEqual([])
    await desk.close()

    const player = await openPage({ actor: crew.actor })
    await player.page.goto(`/games/${game.id}/challenges/${challengeId}`)
    const task = player.page.getByRole('dialog', { name: 'Lead Line' })
    await task.getByRole('textbox', { name: 'Flag', exact: true }).fill('flag{lead}')
    await player.page.keyboard.press('Enter')
    await poll('the second solve to be on the board', async () => (await solvers()).length === 2)
    expect(player.errors).toEqual([])
    await player.close()
  })
})
