import { operations, ownOperations } from '@capstan/contract/operations'
import { expect, test } from 'vitest'
import { describeJourneys } from '../support/journeys.ts'
import { aCrew } from '../support/organizer.ts'
import { poll } from '../support/poll.ts'

describeJourneys('times and attempts of a challenge', (stage) => {
  const { baseUrl, openPage } = stage

  /** Opens a game with two challenges. Opens the table of challenges for the organizer, and the board for a team. */
  const openBoth = async () => {
    const game = await stage.organizer.openGame({}, [
      { title: 'Sealed Orders', flag: 'flag{sealed}' },
      { title: 'Second Orders', flag: 'flag{second}' },
    ])
    const crew = await aCrew(baseUrl)
    await crew.actor.join(game.id, crew.teamId)
    const desk = await openPage({ actor: stage.organizer.actor })
    const board = await openPage({ actor: crew.actor })
    return { game, crew, desk, board }
  }

  test('an organizer hides two challenges until a time, releases them immediately, and closes them, while a player watches', async () => {
    const { game, crew, desk, board } = await openBoth()
    const scheduleAll = async (choose: (dialog: ReturnType<typeof desk.page.getByRole>) => Promise<unknown>) => {
      await desk.page.goto(`/admin/games/${game.id}/challenges`)
      for (const title of game.challenges.keys()) await desk.page.getByRole('checkbox', { name: title }).check()
      await desk.page.getByRole('button', { name: 'Schedule', exact: true }).click()
      const dialog = desk.page.getByRole('alertdialog')
      await choose(dialog)
      await dialog.getByRole('button', { name: 'Change 2 challenges' }).click()
      await dialog.waitFor({ state: 'detached' })
    }

    await scheduleAll(async (dialog) => {
      await dialog.getByLabel('Release', { exact: true }).selectOption('Release at a set time')
      await dialog.getByLabel('Time', { exact: true }).fill('2099-01-01T12:00')
    })
    await poll('both challenges to be hidden', async () => {
      const { challengeCount } = await crew.actor.call(operations.getPlayerBoard, { params: { id: game.id } })
      return challengeCount === 0
    })
    await board.page.goto(`/games/${game.id}/challenges`)
    await board.page.getByRole('heading', { level: 1 }).waitFor()
    expect(await board.page.content()).not.toContain('Orders')

    await scheduleAll((dialog) => dialog.getByLabel('Release', { exact: true }).selectOption('Release now'))
    for (const title of game.challenges.keys()) await board.page.getByRole('link', { name: title }).waitFor()

    await board.page.getByRole('link', { name: 'Sealed Orders' }).click()
    const workspace = board.page.getByRole('dialog')
    await workspace.getByText('No one yet. First blood is up for grabs.').waitFor()
    await scheduleAll((dialog) => dialog.getByLabel('Deadline', { exact: true }).selectOption('Close now'))
    await workspace.getByText('This challenge is closed').waitFor()
    await workspace.getByText('No one yet.', { exact: true }).waitFor()
    expect(await workspace.getByRole('button', { name: 'Submit' }).isDisabled()).toBe(true)
    expect([desk.errors, board.errors]).toEqual([[], []])
    await desk.close()
    await board.close()
  })

  test('an organizer limits the attempts, and a player sees the remaining attempts and the answers of the team', async () => {
    const { game, desk, board } = await openBoth()
    const id = game.challenges.get('Sealed Orders') ?? 0
    await desk.page.goto(`/admin/games/${game.id}/challenges/${id}?section=rules`)
    await desk.page.getByLabel('Attempts per team').fill('2')
    await desk.page.getByRole('button', { name: 'Save changes' }).click()
    await poll('the limit to be saved', async () => {
      const params = { id: game.id, cid: id }
      return (await stage.organizer.actor.call(ownOperations.getFullChallenge, { params })).challenge.submissionLimit === 2
    })

    await board.page.goto(`/games/${game.id}/challenges/${id}`)
    const field = board.page.getByRole('textbox', { name: 'Flag', exact: true })
    const submit = board.page.getByRole('button', { name: 'Submit' })
    for (const left of ['1 attempt left', 'No attempts left']) {
      await field.fill(`flag{${left}}`)
      await submit.click()
      await board.page.getByText(left, { exact: true }).waitFor()
    }
    expect(await submit.isDisabled()).toBe(true)
    await board.page.getByText('Your team’s attempts').click()
    await board.page.getByText('flag{1 attempt left}').waitFor()
    await board.page.getByText('flag{No attempts left}').waitFor()
    expect([desk.errors, board.errors]).toEqual([[], []])
    await desk.close()
    await board.close()
  })
})
