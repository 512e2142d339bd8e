import { operations } from '@capstan/contract/operations'
import { expect, test } from 'vitest'
import { describeJourneys } from '../support/journeys.ts'
import { aCrew, randomSuffix } from '../support/organizer.ts'
import { poll } from '../support/poll.ts'

/** Returns the next full minute in the format of a form field for local time. */
function nextMinute(): string {
  const at = new Date(Math.ceil(Date.now() / 60_000) * 60_000)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-')
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`
}

describeJourneys('frozen scoreboards', (stage) => {
  const { baseUrl, openPage } = stage

  test('an organizer sets the freeze, and a later solve is visible only to its team and organizers until the reveal', async () => {
    const name = `Lugger ${randomSuffix()}`
    const game = await stage.organizer.openGame({}, [
      { title: 'Windlass', flag: 'flag{windlass}' },
      { title: 'Fairlead', flag: 'flag{fairlead}' },
    ])
    const solve = (title: string, flag: string) => crew.actor.submitFlag(game.id, game.challenges.get(title) ?? 0, flag)
    const crew = await aCrew(baseUrl, name)
    await crew.actor.join(game.id, crew.teamId)
    await solve('Windlass', 'flag{windlass}')
    const address = `/games/${game.id}/scoreboard`
    const visitor = await openPage()
    await visitor.page.goto(address)
    await visitor.page.getByRole('row', { name }).getByText('1 / 2').waitFor()

    const desk = await openPage({ actor: stage.organizer.actor })
    await desk.page.goto(`/admin/games/${game.id}/info`)
    await desk.page.getByLabel('Scoreboard freezes').fill(nextMinute())
    await desk.page.getByRole('button', { name: 'Save' }).click()
    await desk.page.getByText('Game saved', { exact: true }).waitFor()
    await visitor.page.reload()
    await visitor.page.getByText(/^Frozen since/).waitFor()
    await solve('Fairlead', 'flag{fairlead}')

    const player = await openPage({ actor: crew.actor })
    await player.page.goto(address)
    await player.page.getByText(/1 later solve of your team counts too/).waitFor()
    const own = player.page.getByRole('row', { name })
    await own.getByText('1 / 2').waitFor()
    await own.getByText('Solved after the freeze. Only your team sees it.').waitFor({ state: 'attached' })
    expect(await player.page.locator('[data-later]').count()).toBe(1)

    await visitor.page.reload()
    await visitor.page.getByText(/^Frozen since/).waitFor()
    await visitor.page.getByRole('row', { name }).getByText('1 / 2').waitFor()
    expect(await visitor.page.locator('[data-later]').count()).toBe(0)
    expect(await visitor.page.getByRole('radio', { name: 'Live' }).count()).toBe(0)

    await desk.page.goto(address)
    await desk.page.getByRole('row', { name }).getByText('1 / 2').waitFor()
    await desk.page.getByRole('radiogroup', { name: 'Board' }).getByText('Live').click()
    await desk.page.getByRole('row', { name }).getByText('2 / 2').waitFor()

    await desk.page.goto(`/admin/games/${game.id}/info`)
    await desk.page.getByRole('button', { name: 'Reveal the scoreboard' }).click()
    await desk.page.getByText('Scoreboard revealed', { exact: true }).waitFor()
    await poll('the board to be revealed', async () => {
      const board = await stage.organizer.actor.call(operations.getScoreboard, { params: { id: game.id } })
      return board.items.some(({ solvedCount }) => solvedCount === 2)
    })
    await visitor.page.reload()
    await visitor.page.getByRole('row', { name }).getByText('2 / 2').waitFor()
    expect(await visitor.page.getByText(/^Frozen since/).count()).toBe(0)
    expect([player.errors, visitor.errors, desk.errors]).toEqual([[], [], []])
    for (const { close } of [player, visitor, desk]) await close()
  })

  test('an organizer plays the reveal step by step by keyboard, repeats the reveal, and then shows the board to all players', async () => {
    const mark = randomSuffix()
    const game = await stage.organizer.openGame({}, [
      { title: 'Windlass', flag: 'flag{windlass}' },
      { title: 'Fairlead', flag: 'flag{fairlead}' },
    ])
    const [leader, late] = [await aCrew(baseUrl, `Leader ${mark}`), await aCrew(baseUrl, `Late ${mark}`)]
    for (const { actor, teamId } of [leader, late]) await actor.join(game.id, teamId)
    await leader.actor.submitFlag(game.id, game.challenges.get('Windlass') ?? 0, 'flag{windlass}')
    await stage.organizer.changeGame(game.id, { ...game.settings, freeze: Date.now() })
    for (const [title, id] of game.challenges) await late.actor.submitFlag(game.id, id, `flag{${title.toLowerCase()}}`)
    const solvesOnBoard = async (view: 'public' | 'live') => {
      const board = await stage.organizer.actor.call(operations.getScoreboard, { params: { id: game.id }, query: { view } })
      return board.items.find(({ id }) => id === late.teamId)?.solvedCount
    }
    await poll('the later solves to be on the live board', async () => (await solvesOnBoard('live')) === 2)

    const { page, errors, close } = await openPage({ actor: stage.organizer.actor })
    await page.goto(`/games/${game.id}/scoreboard`)
    await page.getByRole('button', { name: 'Projector' }).click()
    await page.getByRole('button', { name: 'Reveal step by step' }).click()
    const stageRegion = page.getByRole('region', { name: 'Reveal step by step' })
    const top = stageRegion.locator('[aria-posinset="1"]')
    for (const key of ['Space', 'ArrowRight']) {
      await stageRegion.getByText('0 of 3', { exact: true }).waitFor()
      await top.getByText(leader.teamName).waitFor()
      await stageRegion.getByText('2 hidden results').waitFor()
      for (const done of [1, 2, 3]) {
        await page.keyboard.press(key)
        await stageRegion.getByText(`${done} of 3`, { exact: true }).waitFor()
      }
      await top.getByText(late.teamName).waitFor()
      if (key === 'Space') await stageRegion.getByRole('button', { name: 'Again' }).click()
    }
    expect(await solvesOnBoard('public')).toBe(0)
    await stageRegion.getByRole('button', { name: 'Reveal for everybody' }).click()
    await stageRegion.getByText('Revealed for everybody').waitFor()
    await poll('the board to be revealed', async () => (await solvesOnBoard('public')) === 2)
    expect(errors).toEqual([])
    await close()
  })
})
