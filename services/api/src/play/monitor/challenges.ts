// Shows challenges to monitors in any phase of the game, without flags.
import { pathOfStoredFile } from '@capstan/contract/asset-address'
import { pointsOfFlags } from '@capstan/contract/challenge-parts'
import type { ChallengeCategory } from '@capstan/contract/challenges'
import type { ChallengeHealth, MonitoredChallenge, MonitoredChallengeView } from '@capstan/contract/monitor'
import { Problem } from '@capstan/contract/problems'
import { challengeValue } from '@capstan/contract/score'
import { getGame } from '../../games/editing/service.ts'
import type { InstanceDeps } from '../../instances/deps.ts'
import { listStoredHints } from '../../rules/scoring/hints.ts'
import type { Board, ScoreboardService } from '../scoreboard/service.ts'
import { healthOfChallenge } from './challenge-health.ts'
import { createChallengeRepository, type MonitoredRow, type MonitoredViewRow } from './challenge-repository.ts'

type ChallengeDeps = InstanceDeps &
  Readonly<{
    scoreboards: ScoreboardService
    findHealth: (gameId: number) => Promise<ReadonlyMap<number, ChallengeHealth>>
  }>

/** Returns the number of solvers of the most-solved challenge. */
function mostSolvers(board: Board | undefined): number {
  return Math.max(0, ...Object.values(board?.challenges ?? {}).flatMap((list) => list.map(({ solved }) => solved)))
}

/**
 * Presents a challenge with value and solves from the scoreboard. The scoreboard omits disabled challenges, so their solves come
 * from the database.
 */
function presentHead(row: MonitoredRow, board: Board | undefined) {
  const onBoard = board?.challenges[row.category]?.find(({ id }) => id === row.id)
  return {
    id: row.id,
    title: row.title,
    category: row.category as ChallengeCategory,
    type: row.type,
    isEnabled: row.isEnabled,
    releaseUtc: row.releaseAt?.getTime() ?? null,
    isReleased: row.isReleased,
    deadlineUtc: row.deadlineAt?.getTime() ?? null,
    score: onBoard?.score ?? challengeValue(row, row.acceptedCount, mostSolvers(board)),
    solved: onBoard?.solved ?? row.acceptedCount,
  }
}

function presentAttachment({ attachment }: MonitoredViewRow): MonitoredChallengeView['attachment'] {
  if (!attachment) return null
  const { fileHash, fileName, remoteUrl, sizeBytes } = attachment
  if (fileHash !== null) return { url: pathOfStoredFile(fileHash, fileName ?? 'attachment'), fileSize: sizeBytes }
  return remoteUrl === null ? null : { url: remoteUrl, fileSize: null }
}

/** @throws Problem `game.unknown` */
export async function listMonitoredChallenges(deps: ChallengeDeps, gameId: number): Promise<MonitoredChallenge[]> {
  const { scoreboards, findHealth } = deps
  const repository = createChallengeRepository(deps.db)
  await getGame(deps, gameId)
  const [rows, board, health] = await Promise.all([repository.list(gameId), scoreboards.read(gameId, 'live'), findHealth(gameId)])
  return rows.map((row) => ({
    ...presentHead(row, board),
    instances: row.type.endsWith('Container') ? healthOfChallenge(health, row.id) : null,
  }))
}

/** @throws Problem `game.unknown`, `challenge.unknown` */
export async function getMonitoredChallenge(deps: ChallengeDeps, gameId: number, id: number): Promise<MonitoredChallengeView> {
  const { scoreboards } = deps
  const repository = createChallengeRepository(deps.db)
  await getGame(deps, gameId)
  const [row, board] = await Promise.all([repository.find(gameId, id), scoreboards.read(gameId, 'live')])
  if (!row) throw new Problem('challenge.unknown')
  const hasTeamFiles = row.type === 'DynamicAttachment'
  const hints = listStoredHints(row)
  return {
    ...presentHead(row, board),
    content: row.content,
    hints: hints.map(({ text }) => text),
    hintPrices: hints.map(({ price }) => price),
    flagPoints: pointsOfFlags(row.flags),
    attachment: hasTeamFiles ? null : presentAttachment(row),
    hasTeamFiles,
  }
}
