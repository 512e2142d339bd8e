import { boardVersionHeader } from '@capstan/contract/board-version'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { extendChains } from '../../play/public-chain/service.ts'
import { isFullRun } from '../full-run.ts'
import { type Change, changesByOthers, changesByOwnTeam } from './frozen-changes.ts'
import { type Answer, allReaders, type Platform, type Reader, readAll, startPlatform } from './frozen-platform.ts'
import { createFrozenWorld, type FrozenWorld, type TeamName } from './frozen-world.ts'

/** Number of random histories (CONTRIBUTING, "Short and full runs"). `CAPSTAN_PROPERTY_RUNS` replaces it. */
const histories = Number(process.env.CAPSTAN_PROPERTY_RUNS ?? (isFullRun ? 50 : 1))

const poll = { timeout: 120_000, interval: 50 }

const stepMs = 60_000

async function solvedOf({ clientOf }: Platform, { game, teams }: FrozenWorld, team: TeamName): Promise<number> {
  const board = (await clientOf('monitor').get(`/api/game/${game.id}/scoreboard?view=live`)).json() as {
    items: { id: number; solvedCount: number }[]
  }
  return board.items.find(({ id }) => id === teams[team].id)?.solvedCount ?? 0
}

type History = Readonly<{
  world: FrozenWorld
  /** Changes by other teams and organizers after the freeze, in order. */
  changes: readonly Change[]
  /** Changes at the freeze, before the frozen board is built. */
  first?: readonly Change[]
  /** True to read everything before the freeze, at the freeze, and when the frozen board is built. */
  isWatched: boolean
  /** Readers whose answers are collected. Default: all. */
  readers?: readonly Reader[]
}>

type Played = Readonly<
  Record<'before' | 'first' | 'frozen' | 'after', readonly Answer[]> & {
    /** Changes by others that the platform refused. */
    refused: readonly Change[]
  }
>

/**
 * Plays the time after the freeze. The changes by the active team have the same times on all platforms. Changes by others are
 * made between them.
 */
async function play({ world, changes, first = [], isWatched, readers }: History): Promise<Played> {
  const refused: Change[] = []
  const platform = await startPlatform(world)
  const { context, clientOf, versions } = platform
  const { game, freeze } = world
  const board = `/api/game/${game.id}/scoreboard`
  try {
    const open = await clientOf('visitor').get(board)
    versions.push(String(open.headers[boardVersionHeader]))
    // Extend the chains first: a seal contains the time at which its chain is extended, which must be equal on all platforms.
    const read = async (isRead: boolean) => {
      await extendChains(context.deps)
      return isRead ? readAll(world, platform, readers) : []
    }
    const before = await read(isWatched)
    context.clock.set(freeze)
    const apply = async (change: Change) => refused.push(...((await change(platform)).statusCode >= 400 ? [change] : []))
    for (const change of first) await apply(change)
    const early = await read(isWatched)
    if (world.isFrozen)
      await expect.poll(async () => (await clientOf('visitor').get(board)).json().updateTimeUtc, poll).toBe(freeze.toISOString())
    const frozen = await read(isWatched)
    const own = changesByOwnTeam(world)
    for (const [index, change] of own.entries()) {
      const share = changes.slice(
        Math.floor((index * changes.length) / own.length),
        Math.floor(((index + 1) * changes.length) / own.length),
      )
      for (const [place, rival] of share.entries()) {
        context.clock.set(new Date(freeze.getTime() + index * stepMs + (place + 1) * 100))
        await apply(rival)
      }
      context.clock.set(new Date(freeze.getTime() + (index + 1) * stepMs))
      await change(platform)
    }
    await expect.poll(() => solvedOf(platform, world, 'active'), poll).toBe(2)
    // The unlocks of the team are stored shortly after its second solve is on the board, so wait for the unlocked challenge.
    await expect.poll(async () => (await clientOf('active').get(`/api/game/${game.id}/details`)).body, poll).toContain('Attic')
    return { before, first: early, frozen, after: await read(true), refused }
  } finally {
    await context.close()
  }
}

type Reference = Readonly<{ world: FrozenWorld; quiet: Played }>

const references = new Map<boolean, Promise<Reference>>()

/** Returns a world, and the responses of its platform if other teams make no changes. Creates both only once. */
function referenceOf(isFrozen: boolean): Promise<Reference> {
  const create = async () => {
    const world = await createFrozenWorld({ isFrozen })
    return { world, quiet: await play({ world, changes: [], isWatched: true }) }
  }
  const known = references.get(isFrozen) ?? create()
  references.set(isFrozen, known)
  return known
}

afterAll(async () => {
  for (const reference of references.values()) await (await reference).world.database.drop()
})

function keyOf({ call, request }: Answer) {
  return `${call} ${request}`
}

/** Returns the answers that differ from the answers to the same requests in all references. */
function differences(answers: readonly Answer[], ...references: readonly (readonly Answer[])[]) {
  const contents = references.map((reference) => new Map(reference.map((answer) => [keyOf(answer), answer.content])))
  return answers.flatMap((answer) => {
    const others = contents.map((content) => content.get(keyOf(answer)))
    return others.includes(answer.content) ? [] : [{ ...answer, others }]
  })
}

/** Plays all changes, and expects that none is refused. */
async function playAll(world: FrozenWorld): Promise<Played> {
  const changes = changesByOthers(world)
  const played = await play({ world, changes: Object.values(changes), isWatched: true })
  expect(Object.keys(changes).filter((name) => played.refused.includes(changes[name]!))).toEqual([])
  return played
}

test.each(Array.from({ length: histories }, (_, seed) => seed))(
  'no answer to players and visitors reveals what other teams do after the freeze, in history %i',
  async (seed) => {
    const { world, quiet } = await referenceOf(true)
    const shuffled = fc.shuffledSubarray(Object.values(changesByOthers(world)), { minLength: 6 })
    // In a random order, one change can make another one impossible, so the platform may refuse changes.
    const changes = fc.sample(shuffled, { seed, numRuns: 1 })[0]!
    // Reading as every user in each history would double the time. The team with later changes is always among the readers.
    const readers = [allReaders[seed % allReaders.length]!, 'active'] as const
    const { after } = await play({ world, changes, isWatched: false, readers })
    expect(differences(after, quiet.after)).toEqual([])
  },
)

test('no answer to players and visitors reveals any of the changes after the freeze', async () => {
  const { world, quiet } = await referenceOf(true)
  expect(differences((await playAll(world)).after, quiet.after)).toEqual([])
})

test('until the frozen board is built, each answer is the one from before the freeze or from a platform without later changes', async () => {
  const { world, quiet } = await referenceOf(true)
  const { first, frozen } = await play({ world, changes: [], first: Object.values(changesByOthers(world)), isWatched: true })
  expect(differences(first, quiet.before, quiet.frozen)).toEqual([])
  expect(differences(frozen, quiet.frozen)).toEqual([])
})

// This checks the comparison itself, so the full run suffices.
test.runIf(isFullRun)('without a freeze, the same comparison finds the changes in each call that shows them', async () => {
  const { world, quiet } = await referenceOf(false)
  const found = differences((await playAll(world)).after, quiet.after)
  expect([...new Set(found.map(({ call }) => call))].sort()).toEqual([
    'downloadChain',
    'getChallenge',
    'getChallengeSolvers',
    'getCtftimeFeed',
    'getGame',
    'getGameBadge',
    'getLeadingBoard',
    'getNoticeFeed',
    'getPastScoreboard',
    'getPlayerBoard',
    'getScoreboard',
    'getScoreboardEmbed',
    'getScoreboardRows',
    'getTeam',
    'getTeamProfile',
    'getUserProfile',
    'hub',
    'judgeFlag',
    'listAttempts',
    'listClosedTeams',
    'listInstanceWays',
    'listNotices',
  ])
})
