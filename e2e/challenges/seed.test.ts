import type { FlagInput } from '@capstan/contract/challenges'
import type { AdminGame } from '@capstan/contract/games'
import { describe, expect, it } from 'vitest'
import { type Answers, type ContractSite, type SeenCall, startContractSite } from '../support/contract-site.ts'
import { listManifests } from './manifest.ts'
import { seedDemoGame } from './seed.ts'
import { createSolveContext, loadSolver } from './solve-context.ts'

const noon = Date.UTC(2026, 4, 1, 12)
const publicKey = Buffer.alloc(32).toString('base64')
const aGame = (id: number, title: string) => ({ id, title, publicKey }) as unknown as AdminGame

/** The answers a platform with these games gives; new challenges are numbered from 101. */
function platform(games: readonly AdminGame[] = []): Answers {
  let challengeId = 100
  return {
    adminListGames: () => ({ data: games, length: games.length, total: games.length }),
    createGame: ({ body }) => ({ ...(body as object), id: 7 }),
    createChallenge: ({ body }) => ({ ...(body as object), id: ++challengeId }),
    uploadFiles: ({ files }) => files.map(({ hash, name }) => ({ hash, name })),
    listPosts: () => [],
    createPost: () => '0a1b2c3d',
  }
}

const seed = (site: ContractSite) =>
  seedDemoGame({ baseUrl: site.baseUrl, adminName: 'Admin', adminPassword: 'Secret1', now: () => noon })

const bodies = (site: ContractSite, operation: SeenCall['operation']): unknown[] =>
  site.calls.filter((call) => call.operation === operation).map(({ body }) => body)

/** Calls about one challenge, by its title. */
function callsAbout(site: ContractSite, title: string): SeenCall[] {
  const index = bodies(site, 'createChallenge').findIndex((body) => (body as { title: string }).title === title)
  return site.calls.filter(({ params }) => params.cid === String(101 + index))
}

describe('seeding the demo game', () => {
  it('makes only calls that fit the contract', async () => {
    await using site = await startContractSite(platform())
    expect(await seed(site)).toEqual({ gameId: 7, created: true })
    expect(site.faults).toEqual([])
  })

  it('prepares the game hidden and opens it whole, an hour ago, for seven days', async () => {
    await using site = await startContractSite(platform())
    await seed(site)
    expect(bodies(site, 'createGame')).toEqual([
      expect.objectContaining({ title: 'Harbour Trials (being prepared)', hidden: true, start: '2026-05-02T12:00:00.000Z' }),
    ])
    expect(bodies(site, 'updateGame')).toEqual([
      expect.objectContaining({
        title: 'Harbour Trials',
        hidden: false,
        start: '2026-05-01T11:00:00.000Z',
        end: '2026-05-08T12:00:00.000Z',
        acceptWithoutReview: true,
        practiceMode: true,
        containerCountLimit: 3,
        organizations: ['Open Water', 'Cadets'],
      }),
    ])
    const order = site.calls.map(({ operation }) => operation)
    expect(order.lastIndexOf('updateChallenge')).toBeLessThan(order.indexOf('updateGame'))
    expect(order.slice(-4)).toEqual(['updateGame', 'addNotice', 'listPosts', 'createPost'])
  })

  it('does nothing if the game is there', async () => {
    await using site = await startContractSite(platform([aGame(3, 'Another game'), aGame(4, 'Harbour Trials')]))
    expect(await seed(site)).toEqual({ gameId: 4, created: false })
    expect(site.calls.map(({ operation }) => operation)).toEqual(['logIn', 'adminListGames'])
  })

  it('says of what speaks HTTP that it does', async () => {
    await using site = await startContractSite(platform())
    await seed(site)
    expect(callsAbout(site, "Halloran's Chandlery").find(({ operation }) => operation === 'setChallengeReach')?.body).toEqual({
      speaks: 'http',
      isRaw: false,
      hasOwnCertificate: false,
    })
  })

  it('clears away an attempt that broke off', async () => {
    await using site = await startContractSite(platform([aGame(3, 'Harbour Trials (being prepared)')]))
    expect(await seed(site)).toEqual({ gameId: 7, created: true })
    const deleted = site.calls.filter(({ operation }) => operation === 'deleteGame')
    expect(deleted.map(({ params }) => params.id)).toEqual(['3'])
  })

  it('enables each challenge last, when it has its flag and file', async () => {
    await using site = await startContractSite(platform())
    await seed(site)
    for (const { title } of listManifests()) {
      expect(callsAbout(site, title).at(-1)).toMatchObject({ operation: 'updateChallenge', body: { isEnabled: true } })
    }
  })

  it('gives a container challenge its image, limits and flag template', async () => {
    await using site = await startContractSite(platform())
    await seedDemoGame({
      baseUrl: site.baseUrl,
      adminName: 'Admin',
      adminPassword: 'Secret1',
      imagePrefix: 'registry.example.org/ctf/',
      imageTag: 'v1.0.0',
    })
    expect(callsAbout(site, "The Harbourmaster's Seal")[0]?.body).toMatchObject({
      containerImage: 'registry.example.org/ctf/harbour-seal:v1.0.0',
      containerExposePort: 1337,
      memoryLimit: 96,
      cpuCount: 2,
      storageLimit: 128,
      flagTemplate: 'flag{sealed_blind_and_cast_off_[TEAM_HASH]}',
    })
  })

  it('uploads one file for each flag of a dynamic attachment, and names no flag', async () => {
    await using site = await startContractSite(platform())
    await seed(site)
    const files = site.calls.find(({ operation, files }) => operation === 'uploadFiles' && files.length > 1)!.files
    expect(files.map(({ name }) => name)).toEqual(Array.from({ length: 24 }, (_, index) => `${index + 1}-soundings.pcap`))
    const added = callsAbout(site, 'Soundings That Lie').find(({ operation }) => operation === 'addFlags')!.body as FlagInput[]
    expect(added.map(({ fileHash }) => fileHash)).toEqual(files.map(({ hash }) => hash))
    expect(new Set(added.map(({ flag }) => flag)).size).toBe(24)
    const solve = await loadSolver('soundings')
    const first = createSolveContext({ description: '', attachment: async () => files[0]!.content })
    expect(await solve(first)).toBe(added[0]!.flag)
  })

  it('uploads a poster that is a PNG under 3 MB', async () => {
    await using site = await startContractSite(platform())
    await seed(site)
    const [poster] = site.calls.find(({ operation }) => operation === 'setGamePoster')!.files
    expect(Buffer.from(poster!.content).subarray(1, 4).toString()).toBe('PNG')
    expect(poster!.content.length).toBeLessThan(3 * 1024 * 1024)
  })
})
