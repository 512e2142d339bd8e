import { Limits } from '@capstan/contract/limits'
import { gamePhaseOf } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import type { OwnProfileVisibility, ProfileGame, TeamProfile, UserProfilePage } from '@capstan/contract/profiles'
import { batchQueries } from '@capstan/db/batched'
import type { Database } from '@capstan/db/client'
import type { Clock } from '../../server/http/clock.ts'
import { findFreezeInstant } from '../../server/players/frozen-since.ts'
import type { Board, ScoreboardService } from '../scoreboard/service.ts'
import { hasProfilePage, isPageOpenToViewer, profileAccessOfViewer, type Viewer } from './policy.ts'
import {
  avatarPathOf,
  presentCategories,
  presentFinalStanding,
  presentProfileGame,
  presentStanding,
  presentTeamRef,
} from './presenter.ts'
import { createProfileRepository, type FirstBlood, type ProfileGameRow, type Subject } from './repository.ts'

/**
 * Maximum number of boards that are built for one page. If more boards must be built, the remaining games show no standing, and
 * their first bloods are not counted.
 */
const maxBuilds = 5

export type ProfileServiceDeps = Readonly<{
  db: Database
  clock: Clock
  scoreboards: ScoreboardService
}>

type ProfileRepository = ReturnType<typeof createProfileRepository>
type CategoryCount = Awaited<ReturnType<ProfileRepository['listCategories']>>[number]
type GameOnBoard = Awaited<ReturnType<ProfileRepository['listOnBoards']>>[number]

/** Team or user whose solves are counted. */
type Counted =
  | Exclude<Subject, { readonly userId: string }>
  | (Extract<Subject, { readonly userId: string }> & { readonly userName: string })

type PageOfGames = Readonly<{
  count: number
  skip: number
}>

/** Public pages of teams and players. Rules: docs/contract/profiles.md. */
export function createProfileService({ db, clock, scoreboards }: ProfileServiceDeps) {
  const repository = createProfileRepository(db)
  // Every scoreboard page needs this query, and the query scans all teams of the game. Concurrent requests therefore share one
  // query.
  const findClosed = batchQueries(
    (gameIds: readonly number[]) => repository.listClosed(gameIds, { seesAll: false }, clock.now()),
    db,
    {
      maxConcurrent: 1,
    },
  )

  /**
   * Creates a function that finds the boards for one page. The function returns undefined if the page would need too many builds.
   */
  const createBoardFinder = () => {
    let built = 0
    return async (gameId: number): Promise<Board | undefined> => {
      if (!scoreboards.ready(gameId, 'public')) {
        if (built >= maxBuilds) return undefined
        built += 1
      }
      return scoreboards.read(gameId, 'public')
    }
  }

  /**
   * Presents games. A finished game shows its stored standing, unless its board is frozen. Other games show the standing on their
   * boards.
   */
  const presentGames = async (
    rows: readonly ProfileGameRow[],
    now: Date,
    findBoard: ReturnType<typeof createBoardFinder>,
  ): Promise<ProfileGame[]> => {
    const presented: ProfileGame[] = []
    for (const row of rows) {
      const { game, team, final } = row
      const isFrozen = findFreezeInstant(game, now) !== null
      const isOver = gamePhaseOf({ start: game.startsAt, end: game.endsAt }, now) === 'ended'
      if (final && isOver && !isFrozen) {
        presented.push(presentProfileGame(row, presentFinalStanding(final)))
        continue
      }
      const board = await findBoard(game.id)
      const standing = board?.standingOf(team.id)
      // During a freeze, show the division from the frozen board. An organizer may have changed the division after the freeze.
      const division = isFrozen ? (standing?.organization ?? null) : row.division
      presented.push(presentProfileGame({ ...row, division }, board && standing ? presentStanding(standing, board) : null))
    }
    return presented
  }

  /** Counts solves on frozen boards. Reads the boards, because the stored rows may lack solves that a frozen board still shows. */
  const frozenCategories = async (subject: Counted, frozen: readonly GameOnBoard[]): Promise<CategoryCount[]> => {
    const counts: CategoryCount[] = []
    for (const { gameId, teamId } of frozen) {
      const board = await scoreboards.read(gameId, 'public')
      if (!board) continue
      const all = board.standingOf(teamId)?.solvedChallenges ?? []
      const solves = 'userName' in subject ? all.filter(({ userName }) => userName === subject.userName) : all
      const categories = new Map(
        Object.values(board.challenges).flatMap((list) => list.map(({ id, category }) => [id, category])),
      )
      for (const { id, type } of solves) {
        const category = categories.get(id)
        if (category) counts.push({ category, solves: 1, firstBloods: type === 'FirstBlood' ? 1 : 0 })
      }
    }
    return counts
  }

  const readRecord = async (subject: Counted, page: PageOfGames) => {
    const now = clock.now()
    const findBoard = createBoardFinder()
    const shown = await presentGames(await repository.listGames(subject, now, page), now, findBoard)
    const { frozen = [], current = [] } = Object.groupBy(await repository.listOnBoards(subject, now), ({ isFrozen }) =>
      isFrozen ? 'frozen' : 'current',
    )
    const firstBloods: FirstBlood[] = []
    for (const { gameId, teamId } of current) {
      const challenges = Object.values((await findBoard(gameId))?.challenges ?? {}).flat()
      for (const { id, bloods } of challenges) if (bloods[0]?.id === teamId) firstBloods.push({ teamId, challengeId: id })
    }
    return {
      games: shown,
      ...(await repository.sumUp(subject, now)),
      categories: presentCategories([
        ...(await repository.listCategories(subject, now, firstBloods)),
        ...(await frozenCategories(subject, frozen)),
      ]),
    }
  }

  return {
    /**
     * Returns the page of a team.
     * @throws Problem `team.unknown` if the team does not exist or the viewer may not see its page
     */
    async getTeam(id: number, viewer: Viewer | undefined, page: PageOfGames): Promise<TeamProfile> {
      const sight = profileAccessOfViewer(viewer)
      const team = await repository.findTeam(id, sight.ownId)
      if (!team || !isPageOpenToViewer(sight, team)) throw new Problem('team.unknown')
      const members = await repository.listMembers(id, Limits.profileMembers)
      // No member of the team has a page: all members are banned or not activated.
      if (members.length === 0) throw new Problem('team.unknown')
      return {
        ...presentTeamRef(team),
        bio: team.bio,
        hasPublicPage: team.hasPublicPage,
        members: members.map((member) => ({
          id: member.id,
          userName: member.userName,
          avatar: avatarPathOf(member),
          captain: member.captain,
          hasPublicPage: member.hasPublicPage,
        })),
        ...(await readRecord({ teamId: id }, page)),
      }
    },

    /**
     * Returns the page of a player.
     * @throws Problem `user.unknown` if the player does not exist or the viewer may not see the page
     */
    async getUser(id: string, viewer: Viewer | undefined, page: PageOfGames): Promise<UserProfilePage> {
      const sight = profileAccessOfViewer(viewer)
      const user = await repository.findUser(id)
      const isOpen = user && isPageOpenToViewer(sight, { hasPublicPage: user.hasPublicPage, isOwn: user.id === sight.ownId })
      if (!user || !isOpen || !hasProfilePage(user)) throw new Problem('user.unknown')
      return {
        id: user.id,
        userName: user.userName,
        bio: user.bio,
        avatar: avatarPathOf(user),
        hasPublicPage: user.hasPublicPage,
        teams: (await repository.listTeams(id, sight, Limits.profileTeams)).map(presentTeamRef),
        ...(await readRecord({ userId: id, userName: user.userName, sight }, page)),
      }
    },

    async listClosed(gameId: number, viewer: Viewer | undefined): Promise<number[]> {
      const { seesAll, ownId } = profileAccessOfViewer(viewer)
      if (seesAll) return (await repository.listClosed([gameId], { seesAll }, clock.now()))[0] ?? []
      const closed = await findClosed(gameId)
      if (ownId === undefined || closed.length === 0) return closed
      const own = new Set(await repository.listOwnOpen(ownId))
      return closed.filter((id) => !own.has(id))
    },

    async getOwn(viewer: Viewer): Promise<OwnProfileVisibility> {
      const { seesAll } = profileAccessOfViewer(viewer)
      const user = await repository.findUser(viewer.id)
      const byTeam = Map.groupBy(await repository.listOwn(viewer.id), ({ teamId }) => teamId)
      return {
        hasPublicPage: user?.hasPublicPage ?? true,
        teams: [...byTeam].map(([id, rows]) => ({
          id,
          hasPublicPage: rows.every(({ hasPublicPage }) => hasPublicPage),
          members: rows.flatMap(({ member }) => (member.hasPublicPage || seesAll || member.id === viewer.id ? [member.id] : [])),
        })),
      }
    },

    setOwn: (userId: string, hasPublicPage: boolean): Promise<void> => repository.setVisibility(userId, hasPublicPage),
  }
}
