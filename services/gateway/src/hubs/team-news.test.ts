import { expect, it, vi } from 'vitest'
import { userIds } from '../testing/fake-backend.ts'
import {
  aNotice,
  createNoticeFrame,
  expectReceivedText,
  openHubClient,
  provideHubGateway,
  waiting,
} from '../testing/hub-world.ts'

const { start } = provideHubGateway()

function news(gameId: number, ...ids: string[]) {
  return { kind: 'team-instances', gameId, userIds: ids } as const
}
const newsPush = '{"type":1,"target":"ReceivedTeamInstances","arguments":[7]}\x1e'

it('sends team news only to members who have requested team news', async () => {
  const gateway = await start()
  const member = await openHubClient(gateway, '/hub/user?game=7&team=true', { cookie: 'session=player' })
  const others = [
    await openHubClient(gateway, '/hub/user?game=7&team=true', { cookie: 'session=monitor' }),
    await openHubClient(gateway, '/hub/user?game=7&team=true'),
    await openHubClient(gateway, '/hub/user?game=8&team=true', { cookie: 'session=player' }),
    // A client for the reference platform does not request team news (ADR 54).
    await openHubClient(gateway, '/hub/user?game=7', { cookie: 'session=player' }),
    await openHubClient(gateway, '/hub/monitor?game=7&team=true', { cookie: 'session=admin' }),
  ]
  gateway.bus.publish(news(7, userIds.player, userIds.admin))
  await expectReceivedText(member, `{}\x1e${newsPush}`)
  gateway.bus.publish(aNotice(7, 'end'))
  gateway.bus.publish(aNotice(8, 'end'))
  await expectReceivedText(member, `{}\x1e${newsPush}${createNoticeFrame('end')}`)
  for (const other of others.slice(0, 4)) await expectReceivedText(other, `{}\x1e${createNoticeFrame('end')}`)
  expect(others[4]?.text()).toBe('{}\x1e')
})

it('sends no more team news to a user who logged out', async () => {
  const gateway = await start()
  const member = await openHubClient(gateway, '/hub/user?game=7&team=true', { cookie: 'session=player' })
  const visitor = await openHubClient(gateway, '/hub/user?game=7')
  gateway.backend.sessions.delete('session=player')
  gateway.bus.publish({ kind: 'sessions-ended', userId: userIds.player })
  await member.closed
  expect(member.text()).toBe('{}\x1e{"type":7,"allowReconnect":true}\x1e')
  const again = await openHubClient(gateway, '/hub/user?game=7&team=true', { cookie: 'session=player' })
  gateway.bus.publish(news(7, userIds.player))
  gateway.bus.publish(aNotice(7, 'end'))
  await vi.waitFor(() => expect(visitor.text()).toContain('end'), waiting)
  await expectReceivedText(again, `{}\x1e${createNoticeFrame('end')}`)
})

it('sends news about tickets only to the team and to organizers who have requested such news', async () => {
  const gateway = await start()
  const member = await openHubClient(gateway, '/hub/user?game=7&team=true', { cookie: 'session=player' })
  const organizer = await openHubClient(gateway, '/hub/monitor?game=7&tickets=true', { cookie: 'session=monitor' })
  const others = [
    await openHubClient(gateway, '/hub/user?game=7&team=true', { cookie: 'session=admin' }),
    await openHubClient(gateway, '/hub/user?game=7', { cookie: 'session=player' }),
    await openHubClient(gateway, '/hub/user?game=8&team=true', { cookie: 'session=player' }),
  ]
  const silent = await openHubClient(gateway, '/hub/monitor?game=7', { cookie: 'session=monitor' })
  gateway.bus.publish({ kind: 'ticket', gameId: 7, userIds: [userIds.player] })
  await expectReceivedText(member, '{}\x1e{"type":1,"target":"ReceivedTeamTickets","arguments":[7]}\x1e')
  await expectReceivedText(organizer, '{}\x1e{"type":1,"target":"ReceivedTickets","arguments":[7]}\x1e')
  gateway.bus.publish(aNotice(7, 'end'))
  gateway.bus.publish(aNotice(8, 'end'))
  for (const other of others) await expectReceivedText(other, `{}\x1e${createNoticeFrame('end')}`)
  expect(silent.text()).toBe('{}\x1e')
})
