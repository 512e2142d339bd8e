// Survey after a game. Rules: docs/contract/surveys.md.
import { Problem } from '@capstan/contract/problems'
import type { Survey, SurveyAnswer, SurveyResults, SurveyWrite } from '@capstan/contract/surveys'
import type { Executor } from '@capstan/db/client'
import { type GameRow, getGame, lockGameAgainstEdits } from '../../games/editing/service.ts'
import type { InstanceDeps } from '../../instances/deps.ts'
import { divisionSeesChallenge } from '../../rules/scoring/division-rights.ts'
import { openGameKey } from '../../rules/signing/game-keys.ts'
import { hashSurveyAuthor } from '../../rules/signing/survey-author.ts'
import type { Player, PlayerService } from '../../server/players/service.ts'
import { type AnswerRow, type Author, createSurveyRepository } from './repository.ts'
import { summarizeSurvey } from './results.ts'

export type { AnswerRow } from './repository.ts'

type SurveyDeps = Pick<InstanceDeps, 'config' | 'db'> & Readonly<{ players: PlayerService }>

/** Returns the value that identifies a user in the survey of a game. @throws Problem `survey.off` */
function authorOf({ config }: Pick<SurveyDeps, 'config'>, game: GameRow, userId: string): Author {
  if (game.survey === 'Off') throw new Problem('survey.off')
  if (game.survey === 'Named') return { userId }
  return { authorHash: hashSurveyAuthor(openGameKey(game, config.secretKey), userId) }
}

/** Lists the challenges that the team sees. After the end, all challenges are unlocked. */
async function listChallenges(executor: Executor, { game, division }: Player): Promise<Survey['challenges']> {
  const listed = await createSurveyRepository(executor).listChallenges(game.id)
  return listed.filter(({ id }) => divisionSeesChallenge(division, id))
}

/** Returns the last answer for each challenge, without empty answers. */
function answersToStore(answers: readonly SurveyAnswer[]): SurveyAnswer[] {
  const trimmed = answers.map(({ text, ...answer }) => ({ ...answer, text: text.trim() }))
  const bySubject = new Map(trimmed.map((answer) => [answer.challengeId, answer]))
  return [...bySubject.values()].filter(({ rating, text }) => rating !== null || text !== '')
}

/** @throws Problem `game.unknown`, `participation.*`, `game.not-started`, `game.not-over`, `survey.off` */
export async function getSurvey(deps: SurveyDeps, gameId: number, userId: string): Promise<Survey> {
  const { db } = deps
  const player = await deps.players.get('survey', gameId, userId)
  const game = await getGame(deps, gameId)
  const answers = await createSurveyRepository(db).listOwn(gameId, authorOf(deps, game, userId))
  return { mode: game.survey, challenges: await listChallenges(db, player), answers }
}

/**
 * Replaces the answers of the caller. A lock on the game prevents a change of the survey mode until the answers are stored.
 * @throws Problem `game.unknown`, `participation.*`, `game.not-started`, `game.not-over`, `survey.off`
 * @throws Problem `survey.changed`, `challenge.unknown`
 */
export async function replaceSurveyAnswers(
  deps: SurveyDeps,
  gameId: number,
  userId: string,
  { mode, answers: given }: SurveyWrite,
): Promise<Survey> {
  const player = await deps.players.get('survey', gameId, userId)
  const answers = answersToStore(given)
  return deps.db.transaction(async (transaction) => {
    const { game } = await lockGameAgainstEdits(transaction, gameId)
    const author = authorOf(deps, game, userId)
    if (game.survey !== mode) throw new Problem('survey.changed')
    const challenges = await listChallenges(transaction, player)
    const known = new Set([null, ...challenges.map(({ id }) => id)])
    if (answers.some(({ challengeId }) => !known.has(challengeId))) throw new Problem('challenge.unknown')
    const repository = createSurveyRepository(transaction)
    await repository.lockAuthor(gameId, author)
    await repository.replace(gameId, author, answers)
    return { mode: game.survey, challenges, answers: await repository.listOwn(gameId, author) }
  })
}

/** @throws Problem `game.unknown` */
export async function getSurveyResults(deps: Pick<InstanceDeps, 'db'>, gameId: number): Promise<SurveyResults> {
  const { survey } = await getGame(deps, gameId)
  const repository = createSurveyRepository(deps.db)
  return { mode: survey, results: summarizeSurvey(await repository.countRatings(gameId), await repository.listTexts(gameId)) }
}

/** Lists all answers with the title of the game. @throws Problem `game.unknown` */
export async function listSurveyAnswers(
  deps: Pick<InstanceDeps, 'db'>,
  gameId: number,
): Promise<{ game: string; answers: AnswerRow[] }> {
  const { title } = await getGame(deps, gameId)
  return { game: title, answers: await createSurveyRepository(deps.db).listAll(gameId) }
}
