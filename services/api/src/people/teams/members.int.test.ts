import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { aTeam, aUser, signInAsNewUser } from '../../testing/factories.ts'
import { aPlayer, aTeamMate } from '../../testing/playing-factories.ts'

let context: TestApp
let admin: TestClient
beforeAll(async () => {
  context = await startTestApp()
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(() => context.close())

function memberPath(teamId: number, userId: string) {
  return `/api/admin/teams/${teamId}/members/${userId}`
}
async function membersOf(teamId: number) {
  return (await context.sql`select user_id from team_members where team_id = ${teamId} order by joined_at, user_id`).map(
    ({ user_id }) => user_id,
  )
}
function codeOf(response: { statusCode: number; body: string }) {
  return [response.statusCode, JSON.parse(response.body).code]
}
function lastLine() {
  return context.logLines.at(-1)?.message
}

describe('an admin', () => {
  test('an admin adds a member even to a locked team, and a repeated call changes nothing', async () => {
    const { team, user } = await aPlayer(context)
    await context.sql`update teams set locked = true where id = ${team.id}`
    const late = await aUser(context.db)
    for (const _time of [1, 2]) {
      const response = await admin.put(memberPath(team.id, late.id))
      expect(response.statusCode).toBe(200)
      expect(response.json().members.map(({ id }: { id: string }) => id)).toEqual([user.id, late.id])
    }
    expect(lastLine()).toBe(`Added "${late.userName}" to team "${team.name}"`)
  })

  test('an admin moves a member in one step, and the member leaves the games of the old team', async () => {
    const player = await aPlayer(context)
    const mate = await aTeamMate(context, player)
    const other = await aTeam(context.db)
    const board = `/api/game/${player.participation.gameId}/details`
    expect((await mate.client.get(board)).statusCode).toBe(200)
    const response = await admin.put(`${memberPath(other.id, mate.user.id)}?from=${player.team.id}`)
    expect(response.statusCode).toBe(200)
    expect(await membersOf(player.team.id)).toEqual([player.user.id])
    expect(await membersOf(other.id)).toContain(mate.user.id)
    expect(codeOf(await mate.client.get(board))).toEqual([400, 'participation.required'])
    expect(lastLine()).toBe(`Moved "${mate.user.userName}" from team "${player.team.name}" to team "${other.name}"`)
  })

  test('an admin removes a member, who then can no longer play', async () => {
    const player = await aPlayer(context)
    const mate = await aTeamMate(context, player)
    expect((await admin.delete(memberPath(player.team.id, mate.user.id))).statusCode).toBe(200)
    expect(await membersOf(player.team.id)).toEqual([player.user.id])
    expect((await mate.client.get(`/api/game/${player.participation.gameId}/details`)).statusCode).toBe(400)
    expect(lastLine()).toBe(`Removed "${mate.user.userName}" from team "${player.team.name}"`)
  })

  test('an admin appoints a member of a locked team as captain, who then leads it', async () => {
    const player = await aPlayer(context)
    const mate = await aTeamMate(context, player)
    await context.sql`update teams set locked = true where id = ${player.team.id}`
    expect((await admin.put(`/api/admin/teams/${player.team.id}/captain/${mate.user.id}`)).statusCode).toBe(200)
    expect((await mate.client.get(`/api/team/${player.team.id}/invite`)).statusCode).toBe(200)
    expect((await player.client.get(`/api/team/${player.team.id}/invite`)).statusCode).toBe(403)
    expect(lastLine()).toBe(`Made "${mate.user.userName}" captain of team "${player.team.name}"`)
  })

  test('an admin cannot break the rules of teams, for example by removing a captain', async () => {
    const player = await aPlayer(context)
    const mate = await aTeamMate(context, player)
    const { id } = player.team
    const other = await aTeam(context.db)
    const stranger = await aUser(context.db)
    const unknownId = '00000000-0000-4000-8000-000000000000'
    expect(codeOf(await admin.delete(memberPath(id, player.user.id)))).toEqual([400, 'team.captain-stays'])
    expect(codeOf(await admin.put(`${memberPath(other.id, player.user.id)}?from=${id}`))).toEqual([400, 'team.captain-stays'])
    expect(codeOf(await admin.delete(memberPath(id, stranger.id)))).toEqual([400, 'team.member-unknown'])
    expect(codeOf(await admin.put(`${memberPath(other.id, stranger.id)}?from=${id}`))).toEqual([400, 'team.member-unknown'])
    expect(codeOf(await admin.put(`/api/admin/teams/${id}/captain/${stranger.id}`))).toEqual([400, 'team.member-unknown'])
    expect(codeOf(await admin.put(memberPath(id, unknownId)))).toEqual([404, 'user.unknown'])
    expect(codeOf(await admin.put(memberPath(999_999, stranger.id)))).toEqual([404, 'team.unknown'])
    await context.sql`update teams set locked = true where id = ${id}`
    expect(codeOf(await admin.delete(memberPath(id, mate.user.id)))).toEqual([400, 'team.locked'])
    expect(codeOf(await admin.put(`${memberPath(other.id, mate.user.id)}?from=${id}`))).toEqual([400, 'team.locked'])
    expect(await membersOf(other.id)).toEqual([other.captainId])
  })

  test('two concurrent moves of members in opposite directions both succeed', async () => {
    const [one, two] = [await aPlayer(context), await aPlayer(context)]
    const [left, right] = [await aTeamMate(context, one), await aTeamMate(context, two)]
    const answers = await Promise.all([
      admin.put(`${memberPath(two.team.id, left.user.id)}?from=${one.team.id}`),
      admin.put(`${memberPath(one.team.id, right.user.id)}?from=${two.team.id}`),
    ])
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200])
    expect(await membersOf(one.team.id)).toEqual([one.user.id, right.user.id])
    expect(await membersOf(two.team.id)).toEqual([two.user.id, left.user.id])
  })
})
