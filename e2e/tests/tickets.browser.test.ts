import { operations, ownOperations } from '@capstan/contract/operations'
import { expect, test } from 'vitest'
import { describeJourneys } from '../support/journeys.ts'
import { aCrew, aPlayer } from '../support/organizer.ts'

const sticksOut = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

describeJourneys('tickets', (stage) => {
  const { baseUrl, openPage } = stage

  async function aMonitor() {
    const { actor, userName, password } = await aPlayer(baseUrl)
    const { data } = await stage.organizer.actor.call(operations.searchUsers, { query: { hint: userName } })
    await stage.organizer.actor.call(operations.updateUser, { params: { id: data[0]?.id ?? '' }, body: { role: 'Monitor' } })
    await actor.logIn(userName, password)
    return actor
  }

  test('a player writes tickets on a phone, a monitor merges and answers the tickets, and other pages show both users their unread tickets', async () => {
    const { id, challenges } = await stage.organizer.openGame({}, [{ title: 'Buoy', flag: 'flag{afloat}' }])
    const [crew, watcher] = [await aCrew(baseUrl), await aMonitor()]
    await crew.actor.join(id, crew.teamId)
    const canned = { title: `Restart ${id}`, text: 'Please restart the buoy.' }
    await watcher.call(ownOperations.createCannedAnswer, { body: canned })
    const desk = await openPage({ actor: watcher })
    await desk.page.goto(`/games/${id}/scoreboard`)
    const deskLink = desk.page.getByRole('navigation', { name: 'Game' }).getByRole('link', { name: /^Monitor/ })
    await deskLink.waitFor()

    const player = await openPage({ actor: crew.actor, width: 390 })
    const ask = async (subject: string, text: string) => {
      await player.page.goto(`/games/${id}/challenges/${challenges.get('Buoy')}`)
      await player.page.getByRole('link', { name: 'Ask the organizers' }).click()
      await player.page.getByLabel('Subject').fill(subject)
      await player.page.getByLabel('Message').fill(text)
      await player.page.getByRole('button', { name: 'Send' }).click()
      await player.page.getByRole('heading', { name: subject }).waitFor()
    }
    await ask('It sinks', 'The buoy sank twice.')
    await desk.page.getByRole('link', { name: 'Monitor 1 unread ticket' }).waitFor()
    await ask('It sinks again', 'Now three times.')
    await desk.page.getByRole('link', { name: 'Monitor 2 unread tickets' }).waitFor()
    await player.page.goto(`/games/${id}/scoreboard`)

    await deskLink.click()
    await desk.page.getByRole('link', { name: 'Tickets 2 unread tickets' }).click()
    await desk.page.getByRole('searchbox', { name: 'Search tickets' }).fill('three times')
    await desk.page.getByText('1 result', { exact: true }).waitFor()
    await desk.page.getByRole('link', { name: /^It sinks again/ }).click()
    await desk.page.getByRole('button', { name: 'Merge' }).click()
    const dialog = desk.page.getByRole('dialog')
    await dialog.getByLabel('Into the ticket').selectOption({ label: 'It sinks' })
    await dialog.getByRole('button', { name: 'Merge' }).click()
    await desk.page.getByRole('heading', { name: 'It sinks', exact: true }).waitFor()
    await desk.page.getByRole('combobox', { name: 'Insert a canned answer' }).selectOption({ label: canned.title })
    await desk.page.getByRole('button', { name: 'Send and close' }).click()
    await desk.page.getByRole('link', { name: 'Tickets', exact: true }).waitFor()

    await player.page.getByRole('region', { name: 'Game status' }).getByRole('link', { name: '1 unread ticket' }).click()
    await player.page.getByRole('link', { name: /^It sinks/ }).click()
    await player.page.getByText(canned.text, { exact: true }).waitFor()
    await player.page.getByText('Closed', { exact: true }).last().waitFor()
    await player.page.getByRole('link', { name: 'Tickets', exact: true }).waitFor()
    expect(await player.page.getByRole('link', { name: /unread ticket/ }).count()).toBe(0)
    expect(await player.page.evaluate(sticksOut)).toBe(0)
    expect([...player.errors, ...desk.errors]).toEqual([])
    await player.close()
    await desk.close()
  })
})
