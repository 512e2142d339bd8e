import { randomUUID } from 'node:crypto'
import { participations } from '@capstan/db/schema/games'
import { signInTeams } from '@capstan/db/schema/sign-in'
import { teamMembers, teams } from '@capstan/db/schema/teams'
import { count, eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aGame } from '../../testing/organizing-factories.ts'
import { password, registerThroughApi } from '../../testing/people-factories.ts'
import { computeUniqueNameKeys } from '../names/keys.ts'
import { logInAtProvider, startOidcProvider, testClient } from './testing/oidc-provider.ts'

const origin = 'http://ctf.example.org'
const accounts: Record<string, Record<string, unknown>> = {}
const mapped = {
  ...{ userName: 'preferred_username', realName: '', stdNumber: '', adminClaim: '', adminValue: '' },
  ...{ team: 'team', division: 'division' },
}

let context: TestApp
let provider: Awaited<ReturnType<typeof startOidcProvider>>
let admin: TestClient
let providerId: string

function write(change: Record<string, unknown> = {}) {
  return {
    ...{ key: 'campus', kind: 'OpenId', name: 'Campus', issuer: provider.issuer, clientId: testClient.id, scope: '' },
    ...{ claims: mapped, clientSecret: testClient.secret, isEnabled: true, ...change },
  }
}
async function change(values: Record<string, unknown>) {
  return expect((await admin.put(`/api/admin/signin/${providerId}`, write(values))).statusCode).toBe(200)
}

beforeAll(async () => {
  provider = await startOidcProvider(`${origin}/account/sign-in/campus`, accounts)
  context = await startTestApp({
    config: {
      publicOrigin: origin,
      outgoing: { allowed: ['127.0.0.1'], blocked: [], http: true },
    },
    deps: { providerClient: undefined },
  })
  admin = (await signInAsNewUser(context, 'Admin')).client
  providerId = (await admin.post('/api/admin/signin', write())).json().id
})
afterEach(() => change({}))
afterAll(async () => {
  await context.close()
  await provider.close()
})

/** Signs in as a user for whom the provider sends these claims. @returns the outcome and a client with the session */
async function signInAs(
  login: string,
  claims: Record<string, unknown>,
  purpose = 'LogIn',
  client = createTestClient(context.app),
) {
  accounts[login] = { email: `${login}@uni.example`, email_verified: true, preferred_username: login, ...claims }
  const { url } = (
    await client.post('/api/account/signin/campus', { purpose, ...(purpose === 'Link' && { proof: { password } }) })
  ).json()
  const { search } = await logInAtProvider(url, login)
  const response = await client.post('/api/account/signin/campus/finish', { answer: search })
  return { client, answer: response.json() }
}
async function teamsOf(
  client: TestClient,
): Promise<{ id: number; name: string; members: { userName: string; captain: boolean }[] }[]> {
  return (await client.get('/api/team')).json()
}
async function namesOf(client: TestClient) {
  return (await teamsOf(client)).map(({ name }) => name)
}

describe('a team from the provider', () => {
  test('the first member who signs in creates the team and becomes captain, and the next member joins the team', async () => {
    const first = await signInAs('bosun', { team: 'Deck Hands' })
    expect(first.answer.outcome).toBe('LoggedIn')
    const mate = await signInAs('purser', { team: 'Deck Hands' })
    const [team] = await teamsOf(mate.client)
    expect(team).toMatchObject({ name: 'Deck Hands' })
    expect(team!.members.map(({ userName, captain }) => [userName, captain])).toEqual([
      ['bosun', true],
      ['purser', false],
    ])
  })

  test('the api adds a number to the name of a new team if the name is taken', async () => {
    const { client: stranger } = await registerThroughApi(context, 'stranger')
    expect((await stranger.post('/api/team', { name: 'Night Watch' })).statusCode).toBe(200)
    const { client } = await signInAs('watch1', { team: 'Night Watch' })
    expect(await namesOf(client)).toEqual(['Night Watch2'])
    const [team] = await teamsOf(stranger)
    expect(team!.members).toHaveLength(1)
  })

  test('if the provider sends an id for the team, this id identifies the team', async () => {
    const { client: own } = await signInAs('ten', { team: { id: 10, name: 'Harbour' } })
    const { client: renamed } = await signInAs('alsoten', { team: { id: 10, name: 'Harbor' } })
    const { client: other } = await signInAs('eleven', { team: { id: 11, name: 'Harbour' } })
    expect([await namesOf(own), await namesOf(renamed), await namesOf(other)]).toEqual([['Harbour'], ['Harbour'], ['Harbour2']])
  })

  test('the team receives members even after its captain has renamed it', async () => {
    const { client: captain } = await signInAs('helm', { team: 'Helm' })
    const [team] = await teamsOf(captain)
    expect((await captain.put(`/api/team/${team!.id}`, { name: 'Rudder', bio: '' })).statusCode).toBe(200)
    expect(await namesOf((await signInAs('helm2', { team: 'Helm' })).client)).toEqual(['Rudder'])
  })

  test('a team that is linked to the provider refuses invitation codes', async () => {
    const { client: captain } = await signInAs('sealed', { team: 'Sealed' })
    const [team] = await teamsOf(captain)
    const code = (await captain.get(`/api/team/${team!.id}/invite`)).json()
    const { client } = await registerThroughApi(context, 'uninvited')
    expect((await client.post('/api/team/accept', code)).json()).toMatchObject({ status: 400, code: 'team.of-provider' })
    await context.db.delete(signInTeams).where(eq(signInTeams.teamId, team!.id))
    expect((await client.post('/api/team/accept', code)).statusCode).toBe(200)
  })

  test('two members who sign in at the same time create the team only once', async () => {
    const [one, two] = await Promise.all([signInAs('twin1', { team: 'Twins' }), signInAs('twin2', { team: 'Twins' })])
    expect([await namesOf(one.client), await namesOf(two.client)]).toEqual([['Twins'], ['Twins']])
    const [found] = await context.db
      .select({ members: count() })
      .from(teamMembers)
      .innerJoin(teams, eq(teams.id, teamMembers.teamId))
      .where(eq(teams.name, 'Twins'))
    expect(found).toEqual({ members: 2 })
  })

  test('a member who left the team joins it again at the next sign-in only if every sign-in adds members', async () => {
    await signInAs('anchor', { team: 'Anchors' })
    const { client } = await signInAs('rope', { team: 'Anchors' })
    const [team] = await teamsOf(client)
    expect((await client.post(`/api/team/${team!.id}/leave`)).statusCode).toBe(200)
    expect(await namesOf((await signInAs('rope', { team: 'Anchors' })).client)).toEqual([])
    await change({ teamsEachTime: true })
    expect(await namesOf((await signInAs('rope', { team: 'Anchors' })).client)).toEqual(['Anchors'])
  })

  test('the team retains a member for whom the provider later sends another team', async () => {
    await change({ teamsEachTime: true })
    await signInAs('mover', { team: 'Old Ship' })
    expect(await namesOf((await signInAs('mover', { team: 'New Ship' })).client)).toEqual(['Old Ship', 'New Ship'])
  })

  test('a user who links the provider joins the team', async () => {
    const { client } = await registerThroughApi(context, 'linking')
    expect((await signInAs('linkedmate', { team: 'Linked' }, 'Link', client)).answer.outcome).toBe('Linked')
    expect(await namesOf(client)).toEqual(['Linked'])
  })

  test('a user cannot link an identity provider if the api finds no free name for the team', async () => {
    const { client } = await registerThroughApi(context, 'crowded')
    const { userId: captainId } = (await client.get('/api/account/profile')).json()
    const names = Array.from({ length: 10_000 }, (_, index) => `Crowd${index || ''}`)
    const rows = names.map((name) => ({ name, ...computeUniqueNameKeys(name), captainId, inviteToken: '' }))
    for (let first = 0; first < rows.length; first += 2000) await context.db.insert(teams).values(rows.slice(first, first + 2000))
    expect((await signInAs('crowdedmate', { team: 'Crowd' }, 'Link', client)).answer.code).toBe('team.name-taken')
    expect((await client.get('/api/account/identities')).json().identities).toEqual([])
  })

  test.each<[string, unknown]>([
    ['is no text', true],
    ['is empty', '  '],
    ['cannot be read', '\u202e\u200b'],
    ['is one of several', ['Starboard', 'Port']],
    ['has a long id', { id: 'x'.repeat(300), name: 'Long' }],
  ])('no team is created if the claim %s', async (_, team) => {
    const login = `loner${Math.random().toString(36).slice(2, 8)}`
    const { client, answer } = await signInAs(login, { team })
    expect([answer.outcome, await namesOf(client)]).toEqual(['LoggedIn', []])
  })

  test('a preview shows the team and creates nothing', async () => {
    const { answer } = await signInAs('guest', { team: ['Shown'], division: 'Students' }, 'Preview', admin)
    expect(answer.preview.profile).toMatchObject({ team: { key: 'Shown', name: 'Shown' }, division: 'Students' })
    expect(await context.db.select().from(teams).where(eq(teams.name, 'Shown'))).toEqual([])
  })

  test('a team from the provider is ignored if the settings of the provider name no claim for teams', async () => {
    await change({ claims: { ...mapped, team: '' } })
    expect(await namesOf((await signInAs('unmapped', { team: 'Unmapped' })).client)).toEqual([])
  })
})

describe('a local team that an admin links to a team of a provider', () => {
  async function aTeamOf(captainName: string, name: string) {
    const { client: captain } = await registerThroughApi(context, captainName)
    const { id } = (await captain.post('/api/team', { name })).json()
    return { captain, id, address: `/api/admin/teams/${id}/provider` }
  }
  const link = (address: string, key: string, to = providerId) => admin.put(address, { providerId: to, key })

  test('a linked team receives users whose claim has the linked key, and refuses its invitation code', async () => {
    const { captain, id, address } = await aTeamOf('quarter', 'Quarterdeck')
    const code = (await captain.get(`/api/team/${id}/invite`)).json()
    expect((await admin.get(address)).json()).toEqual({ link: null })
    const linked = await link(address, ' Deck Crew ')
    expect([linked.statusCode, linked.json()]).toEqual([200, { link: { providerId, name: 'Campus', key: 'Deck Crew' } }])
    expect((await admin.get(address)).json()).toEqual(linked.json())
    expect(context.logLines.at(-1)?.message).toBe('Linked team "Quarterdeck" to "Deck Crew" of Campus')
    const { client } = await signInAs('deckmate', { team: 'Deck Crew' })
    expect(await namesOf(client)).toEqual(['Quarterdeck'])
    expect((await teamsOf(captain))[0]!.members.map(({ userName }) => userName)).toEqual(['quarter', 'deckmate'])
    const { client: guest } = await registerThroughApi(context, 'deckguest')
    expect((await guest.post('/api/team/accept', code)).json().code).toBe('team.of-provider')
  })

  test('only a linked team shows that a provider decides who joins', async () => {
    const { captain, id, address } = await aTeamOf('toldcap', 'Decided')
    const shown = async () => [(await captain.get('/api/team')).json()[0], (await captain.get(`/api/team/${id}`)).json()]
    for (const team of await shown()) expect(Object.keys(team)).not.toContain('ofProvider')
    await link(address, 'Decided Crew')
    for (const team of await shown()) expect(team).toMatchObject({ ofProvider: true })
    await admin.delete(address)
    for (const team of await shown()) expect(Object.keys(team)).not.toContain('ofProvider')
  })

  test('if the claim has an id, the local team is found by this id', async () => {
    const { address } = await aTeamOf('idowner', 'By Id')
    expect((await link(address, '1770')).statusCode).toBe(200)
    expect(await namesOf((await signInAs('byid', { team: { id: 1770, name: 'Endeavour' } })).client)).toEqual(['By Id'])
  })

  test('a team retains its members and invitation code after an admin unlinks the team from the identity provider', async () => {
    const { captain, id, address } = await aTeamOf('looser', 'Loose Ends')
    await link(address, 'Ends')
    await signInAs('loosemate', { team: 'Ends' })
    const unlinked = await admin.delete(address)
    expect([unlinked.statusCode, unlinked.json()]).toEqual([200, { link: null }])
    expect(context.logLines.at(-1)?.message).toBe('Unlinked team "Loose Ends" from "Ends" of Campus')
    expect((await teamsOf(captain))[0]!.members).toHaveLength(2)
    const { client } = await registerThroughApi(context, 'looseguest')
    expect((await client.post('/api/team/accept', (await captain.get(`/api/team/${id}/invite`)).json())).statusCode).toBe(200)
    expect(await namesOf((await signInAs('loosenew', { team: 'Ends' })).client)).toEqual(['Ends'])
    expect((await admin.delete(address)).json()).toMatchObject({ status: 400, code: 'team.not-of-provider' })
  })

  test('the api refuses to link a local team to a provider team if either team is already linked', async () => {
    const one = await aTeamOf('firstcap', 'First')
    const other = await aTeamOf('secondcap', 'Second')
    expect((await link(one.address, 'Only')).statusCode).toBe(200)
    expect((await link(one.address, 'Only')).json()).toMatchObject({ status: 400, code: 'team.of-provider' })
    expect((await link(one.address, 'Another')).json()).toMatchObject({ status: 400, code: 'team.of-provider' })
    expect((await link(other.address, 'Only')).json()).toMatchObject({ status: 400, code: 'sign-in.team-taken' })
    const { client } = await signInAs('owncreated', { team: 'Created' })
    const [created] = await teamsOf(client)
    expect((await link(other.address, 'Created')).json().code).toBe('sign-in.team-taken')
    expect((await link(`/api/admin/teams/${created!.id}/provider`, 'Free')).json().code).toBe('team.of-provider')
  })

  test('a local team cannot be linked to the key of another team, even if two admins link two teams at the same time', async () => {
    const one = await aTeamOf('racerone', 'Race One')
    const other = await aTeamOf('racertwo', 'Race Two')
    const answers = await Promise.all([link(one.address, 'Race'), link(other.address, 'Race')])
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 400])
  })

  test('a link is refused if the team or the provider is unknown, or the key is unreadable', async () => {
    const { address } = await aTeamOf('refusedcap', 'Refused')
    const unknown = '/api/admin/teams/2000000000/provider'
    for (const answer of [await admin.get(unknown), await link(unknown, 'Any'), await admin.delete(unknown)])
      expect(answer.json()).toMatchObject({ status: 404, code: 'team.unknown' })
    expect((await link(address, 'Any', randomUUID())).json()).toMatchObject({ status: 404, code: 'sign-in.unknown' })
    expect((await link(address, ' ')).json()).toMatchObject({ status: 400, code: 'request.invalid' })
    expect((await link(address, '\u202e\u200b')).json()).toMatchObject({ status: 400, code: 'name.unreadable' })
  })

  test('the captain and monitors cannot link, unlink or look up the team', async () => {
    const { captain, address } = await aTeamOf('curious', 'Curious')
    for (const client of [captain, (await signInAsNewUser(context, 'Monitor')).client])
      for (const answer of [
        await client.get(address),
        await client.put(address, { providerId, key: 'Mine' }),
        await client.delete(address),
      ])
        expect(answer.json()).toMatchObject({ status: 403, code: 'role.insufficient' })
  })
})

describe('a division from the provider', () => {
  async function aGameWith(...names: string[]) {
    const { id } = await aGame(context.db, { acceptWithoutReview: true })
    const ids: Record<string, number> = {}
    for (const name of names) ids[name] = (await admin.post(`/api/edit/games/${id}/divisions`, { name })).json().id
    return { id, ids }
  }
  async function aMember(login: string, division: string) {
    const { client } = await signInAs(login, { team: `Crew ${login}`, division })
    const [team] = await teamsOf(client)
    return { client, teamId: team!.id }
  }
  const divisionIn = async (gameId: number, teamId: number) =>
    (await context.db.select().from(participations).where(eq(participations.gameId, gameId))).find((row) => row.teamId === teamId)
      ?.division

  test('a team joins a game in the division from the provider, and no other division is offered', async () => {
    const game = await aGameWith('Students', 'Open')
    const { client, teamId } = await aMember('student', 'Students')
    expect((await client.get(`/api/game/${game.id}/check`)).json().joinableDivisions).toEqual([game.ids.Students])
    expect((await client.post(`/api/game/${game.id}`, { teamId })).statusCode).toBe(200)
    expect(await divisionIn(game.id, teamId)).toBe('Students')
  })

  test('a team can join a game only in the division that the identity provider sent', async () => {
    const game = await aGameWith('Students', 'Open')
    const { client, teamId } = await aMember('climber', 'Students')
    for (const choice of [{ organization: 'Open' }, { divisionId: game.ids.Open }])
      expect((await client.post(`/api/game/${game.id}`, { teamId, ...choice })).json()).toMatchObject({
        code: 'join.provider-division',
      })
    expect((await client.post(`/api/game/${game.id}`, { teamId, organization: 'Students' })).statusCode).toBe(200)
  })

  test('a member cannot join a game if the division of the team differs from the division that the provider assigns to the member', async () => {
    const game = await aGameWith('Students', 'Open')
    const { client, teamId } = await aMember('captain', 'Open')
    expect((await client.post(`/api/game/${game.id}`, { teamId })).statusCode).toBe(200)
    const { client: mate } = await signInAs('undergrad', { team: 'Crew captain', division: 'Students' })
    for (const choice of [{}, { organization: 'Open' }])
      expect((await mate.post(`/api/game/${game.id}`, { teamId, ...choice })).statusCode).toBe(400)
    expect(await divisionIn(game.id, teamId)).toBe('Open')
  })

  test('users choose a division if the game does not have the division that the identity provider sent', async () => {
    const other = await aGameWith('North', 'South')
    const { client, teamId } = await aMember('free', 'Students')
    expect((await client.post(`/api/game/${other.id}`, { teamId, organization: 'South' })).statusCode).toBe(200)
    const game = await aGameWith('Students', 'Open')
    await change({ claims: { ...mapped, division: '' } })
    expect((await client.post(`/api/game/${game.id}`, { teamId, organization: 'Open' })).statusCode).toBe(200)
  })

  test('joining a game still requires the invitation code of the division', async () => {
    const game = await aGameWith('Students')
    await admin.put(`/api/edit/games/${game.id}/divisions/${game.ids.Students}`, { inviteCode: 'gown-code' })
    const { client, teamId } = await aMember('gown', 'Students')
    expect((await client.post(`/api/game/${game.id}`, { teamId })).json().code).toBe('join.code')
    expect((await client.post(`/api/game/${game.id}`, { teamId, inviteCode: 'gown-code' })).statusCode).toBe(200)
  })
})
