import { boardVersionHeader } from '@capstan/contract/board-version'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { createStandingsWriter } from '../../play/profiles/standings-writer.ts'
import { extendChains } from '../../play/public-chain/service.ts'
import { countRandomCases, isFullRun } from '../full-run.ts'
import { type Change, listChangesByOthers, listChangesByOwnTeam } from './frozen-changes.ts'
import {
  type Answer,
  allReaders,
  comparableContentOf,
  type Platform,
  type Reader,
  readAllResponses,
  startFrozenPlatform,
} from './frozen-platform.ts'
import { createFrozenWorld, type FrozenWorld, type TeamName } from './frozen-world.ts'

/** Number of random histories. */
const histories = countRandomCases({ short: 1, full: 50 })

/** Users whose responses the tests collect. */
const usualReaders: readonly Reader[] = isFullRun ? allReaders : ['visitor', 'active']

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
  /** List of changes that are made at the freeze, before the api builds the frozen board. */
  first?: readonly Change[]
  /**
   * True if the test collects all responses three more times: before the freeze, at the freeze, and when the frozen board is
   * built.
   */
  isWatched: boolean
  /** Users whose responses the test collects. Default: `usualReaders`. */
  readers?: readonly Reader[]
}>

type Played = Readonly<
  Record<'before' | 'first' | 'frozen' | 'after', readonly Answer[]> & {
    refused: readonly Change[]
    /**
     * Plays the end of the game. Collects all responses after the end, and again after a reveal was undone. `behind` is the board
     * of a replica whose clock is before the freeze.
     */
    playOut(): Promise<Readonly<Record<'ended' | 'refrozen' | 'behind', readonly Answer[]>>>
    close(): Promise<void>
  }
>

/** Starts a platform, makes the changes of a test on the platform, and collects the responses. */
async function play({ world, changes, first = [], isWatched, readers = usualReaders }: History): Promise<Played> {
  const refused: Change[] = []
  const platform = await startFrozenPlatform(world)
  const { context, clientOf, versions } = platform
  const { game, freeze } = world
  const board = `/api/game/${game.id}/scoreboard`
  const becomesFrozen = () =>
    expect.poll(async () => (await clientOf('visitor').get(board)).json().updateTimeUtc, poll).toBe(freeze.toISOString())
  const read = async (isRead = true) => {
    await extendChains(context.deps)
    return isRead ? readAllResponses(world, platform, readers) : []
  }
  const playOut = async () => {
    context.clock.set(new Date(game.endsAt.getTime() + 1))
    // All hidden challenges open at the end of the game.
    await expect.poll(async () => (await clientOf('visitor').get(board)).body, poll).toContain('Cellar')
    const ended = await read()
    const reveal = `/api/edit/games/${game.id}/reveal`
    await clientOf('admin').post(reveal)
    await expect
      .poll(async () => (await clientOf('visitor').get(board)).json().updateTimeUtc, poll)
      .not.toBe(freeze.toISOString())
    const { deps, app } = context
    await createStandingsWriter({ ...deps, scoreboards: app.scoreboards, log: app.log }).runFor([game.id])
    await clientOf('admin').delete(reveal)
    await becomesFrozen()
    const refrozen = await read()
    context.clock.set(new Date(freeze.getTime() - 1))
    // A clock that moves back does not expire a board. The award causes a build, which locks hidden challenges again.
    await clientOf('admin').post(`/api/edit/games/${game.id}/awards`, {
      teamId: world.teams.active.id,
      points: 1,
      reason: 'A build',
    })
    await expect.poll(async () => (await clientOf('visitor').get(board)).body, poll).not.toContain('Cellar')
    const reply = await clientOf('visitor').get(board)
    return { ended, refrozen, behind: [{ call: 'getScoreboard', request: 'clock behind', content: comparableContentOf(reply) }] }
  }
  try {
    const open = await clientOf('visitor').get(board)
    versions.push(String(open.headers[boardVersionHeader]))
    const before = await read(isWatched)
    context.clock.set(freeze)
    const apply = async (change: Change) => refused.push(...((await change(platform)).statusCode >= 400 ? [change] : []))
    for (const change of first) await apply(change)
    const early = await read(isWatched)
    if (world.isFrozen) await becomesFrozen()
    const frozen = await read(isWatched)
    const own = listChangesByOwnTeam(world)
    for (const [index, change] of own.entries()) {
      const share = changes.slice(
        Math.floor((index * changes.length) / own.length),
        Math.floor(((index + 1) * changes.length) / own.length),
      )
      for (const [place, rival] of share.entries()) {
        context.clock.set(new Date(freeze.getTime() + (index + 2) * stepMs + (place + 1) * 100))
        await apply(rival)
      }
      context.clock.set(new Date(freeze.getTime() + (index + 1) * stepMs))
      await change(platform)
    }
    await expect.poll(() => solvedOf(platform, world, 'active'), poll).toBe(2)
    // The unlocks of the team are stored shortly after its second solve appears on the board. Therefore wait for the unlocked
    // challenge.
    const readOwn = () => clientOf('active').get(`/api/game/${game.id}/details`)
    await expect.poll(async () => (await readOwn()).body, poll).toContain('Attic')
    const bought = platform.answers.filter(({ call, content }) => call === 'buyHint' && content.startsWith('200 ')).length
    await expect.poll(async () => (await readOwn()).json().rank.boughtHints?.length, poll).toBe(bought)
    await expect.poll(async () => (await readOwn()).json().rank.awards?.length, poll).toBe(1)
    return { before, first: early, frozen, after: await read(), refused, playOut, close: () => context.close() }
  } catch (error) {
    await context.close()
    throw error
  }
}

/** Returns a function that calls `make` once for each flag. */
function once<Result>(make: (flag: boolean) => Promise<Result>): (flag: boolean) => Promise<Result> {
  const made = new Map<boolean, Promise<Result>>()
  return (flag) => {
    const known = made.get(flag) ?? make(flag)
    made.set(flag, known)
    return known
  }
}

const clean: (() => Promise<unknown>)[] = []

const worldOf = once(async (isFrozen) => {
  const world = await createFrozenWorld({ isFrozen })
  clean.push(world.database.drop)
  return world
})

/** Plays a history on a platform that stays open until the end of all tests. */
async function playOpen(history: History): Promise<Played> {
  const played = await play(history)
  clean.push(played.close)
  return played
}

/** Plays a history in which only the active team makes changes after the freeze. */
const quietOf = once(async (isFrozen) => playOpen({ world: await worldOf(isFrozen), changes: [], isWatched: false }))

afterAll(async () => {
  for (const close of clean.reverse()) await close()
})

function keyOf({ call, request }: Answer) {
  return `${call} ${request}`
}

/** Returns the responses that differ from all references. Each reference is a list of responses to the same requests. */
function differences(answers: readonly Answer[], ...references: readonly (readonly Answer[])[]) {
  const contents = references.map((reference) => new Map(reference.map((answer) => [keyOf(answer), answer.content])))
  return answers.flatMap((answer) => {
    const others = contents.map((content) => content.get(keyOf(answer)))
    return others.includes(answer.content) ? [] : [{ ...answer, others }]
  })
}

/** Plays all changes, and expects that none is refused. */
async function playAll(world: FrozenWorld): Promise<Played> {
  const changes = listChangesByOthers(world)
  const played = await playOpen({ world, changes: Object.values(changes), isWatched: false })
  expect(Object.keys(changes).filter((name) => played.refused.includes(changes[name]!))).toEqual([])
  return played
}

describe('during a freeze', () => {
  test('responses to players and visitors never contain changes that were made after the freeze', async () => {
    const [quiet, loud] = [await quietOf(true), await playAll(await worldOf(true))]
    expect(differences(loud.after, quiet.after)).toEqual([])
    const [quietEnd, loudEnd] = [await quiet.playOut(), await loud.playOut()]
    expect(differences(loudEnd.ended, quietEnd.ended)).toEqual([])
    expect(differences(loudEnd.refrozen, quietEnd.refrozen)).toEqual([])
    expect(differences(loudEnd.behind, quietEnd.behind)).toEqual([])
  })

  test('before the frozen board is built, responses show no changes that were made after the freeze', async () => {
    const world = await worldOf(true)
    const first = Object.values(listChangesByOthers(world))
    const quiet = await playOpen({ world, changes: [], isWatched: true })
    const loud = await playOpen({ world, changes: [], first, isWatched: true })
    expect(differences(loud.first, quiet.before, quiet.frozen)).toEqual([])
    expect(differences(loud.frozen, quiet.frozen)).toEqual([])
    expect(differences(loud.after, quiet.after)).toEqual([])
  })
})

test.each(Array.from({ length: histories }, (_, seed) => seed))(
  'no response to players and visitors reveals what other teams do after the freeze, in history %i',
  async (seed) => {
    const [world, quiet] = [await worldOf(true), await quietOf(true)]
    const shuffled = fc.shuffledSubarray(Object.values(listChangesByOthers(world)), { minLength: 6 })
    // In a random order, one change can make another change impossible, so the platform may refuse changes.
    const changes = fc.sample(shuffled, { seed, numRuns: 1 })[0]!
    // To save time, collect the responses of only two users per history.
    const readers = [usualReaders[seed % usualReaders.length]!, 'active'] as const
    const { after, close } = await play({ world, changes, isWatched: false, readers })
    await close()
    expect(differences(after, quiet.after)).toEqual([])
  },
)

if (isFullRun)
  test('`differences` finds every call whose response shows changes by other teams', async () => {
    const [quiet, loud] = [await quietOf(false), await playAll(await worldOf(false))]
    const found = differences(loud.after, quiet.after)
    expect([...new Set(found.map(({ call }) => call))].sort()).toEqual([
      'buyHint',
      'downloadChain',
      'getChallenge',
      'getChallengeSolvers',
      'getCtftimeFeed',
      'getGame',
      'getGameBadge',
      'getInvite',
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
      'listChallengeMarks',
      'listClosedTeams',
      'listInstanceWays',
      'listNotices',
      'webhook',
    ])
  })
