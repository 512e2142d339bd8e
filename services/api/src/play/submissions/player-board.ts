import { isDeepStrictEqual } from 'node:util'
import { canSubmissionScorePoints } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import type { PlayerBoard } from '@capstan/contract/scoreboard'
import { ReadyAnswer } from '../../server/http/ready-answer.ts'
import type { PlayDeps } from './deps.ts'
import { presentPlayerBoard } from './presenter.ts'

/** @throws the problems of `PlayerService.get` */
export async function getPlayerBoard(
  { clock, players, scoreboards, caches }: Pick<PlayDeps, 'clock' | 'players' | 'scoreboards' | 'caches'>,
  gameId: number,
  userId: string,
  serialize: (board: PlayerBoard) => string,
): Promise<ReadyAnswer> {
  const player = await players.get('details', gameId, userId)
  const boards = await scoreboards.readViews(gameId)
  if (!boards) throw new Problem('game.unknown')
  const { participation } = player
  const cached = caches.playerBoards.get(participation.id)
  const now = clock.now()
  const isOver = !canSubmissionScorePoints(now, { end: player.game.endsAt })
  const { live, public: shown } = boards
  const boardTag = `${live.answer.etag} ${shown.answer.etag} ${live.lockTag} ${isOver}`
  // The members of a team have separate player objects with equal values.
  if (cached?.boardTag === boardTag && isDeepStrictEqual(cached.player, player)) return cached.response
  const response = new ReadyAnswer(serialize(presentPlayerBoard(player, boards, now)))
  caches.playerBoards.set(participation.id, { boardTag, player, response })
  return response
}
