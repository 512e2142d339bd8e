// Mails to the participants of a game. Rules: docs/contract/games-and-joining.md#mails.
import type { RateRule } from '@capstan/bus/rate-limit-rules'
import type { GameMail, GameMailAudience } from '@capstan/contract/game-mail'
import type { LanguageCode } from '@capstan/contract/languages'
import { RateLimits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { Executor } from '@capstan/db/client'
import type { ServerDeps } from '../../server/deps.ts'
import type { RateLimiter } from '../../server/http/rate-limiter.ts'
import { queueBulkMail } from '../../server/mail/service.ts'
import { renderGameMail } from '../../server/mail/templates.ts'
import { readSettings } from '../../server/settings/service.ts'
import { getGame } from '../editing/service.ts'
import { createGameMailRepository } from './repository.ts'
import { openUnsubscribeToken, sealUnsubscribeToken } from './unsubscribe-token.ts'

export type GameMailDeps = Pick<ServerDeps, 'blobs' | 'clock' | 'config' | 'db' | 'images' | 'mailer'>

const rule: RateRule = {
  kind: 'fixed-window',
  count: RateLimits.gameMail.count,
  windowMs: RateLimits.gameMail.windowSeconds * 1000,
}

/** Returns the origin of unsubscribe links. @throws Problem `email.no-server`, `email.no-origin` */
function originOfLinks({ config, mailer }: Pick<GameMailDeps, 'config' | 'mailer'>): string {
  if (!mailer.isConfigured) throw new Problem('email.no-server')
  if (config.publicOrigin === undefined) throw new Problem('email.no-origin')
  return new URL(config.publicOrigin).origin
}

/** @throws Problem `division.unknown` */
async function readAudience(executor: Executor, gameId: number, { onlyAccepted = false, divisionId }: GameMailAudience) {
  if (divisionId === undefined) return { onlyAccepted }
  const division = await createGameMailRepository(executor).findDivision(gameId, divisionId)
  if (division === undefined) throw new Problem('division.unknown')
  return { onlyAccepted, division }
}

/** @throws Problem `game.unknown`, `division.unknown`, `email.no-server`, `email.no-origin` */
export async function countRecipients(deps: GameMailDeps, gameId: number, audience: GameMailAudience): Promise<number> {
  const { db } = deps
  await getGame(deps, gameId)
  originOfLinks(deps)
  return createGameMailRepository(db).count(gameId, await readAudience(db, gameId, audience))
}

/**
 * Queues a mail for each participant of the audience.
 * @throws Problem `game.unknown`, `division.unknown`, `email.no-server`, `email.no-origin`, `request.rate-limited`
 */
export async function sendGameMail(
  deps: GameMailDeps & { readonly limiter: RateLimiter },
  gameId: number,
  { subject, text, ...audience }: GameMail,
  language: LanguageCode,
): Promise<{ recipients: number; title: string }> {
  const { db, config, limiter } = deps
  const { title } = await getGame(deps, gameId)
  const origin = originOfLinks(deps)
  const { title: platformName } = (await readSettings(deps)).globalConfig
  return db.transaction(async (transaction) => {
    const repository = createGameMailRepository(transaction)
    const recipients = await repository.list(gameId, await readAudience(transaction, gameId, audience))
    if (config.rateLimits) await limiter.take(`game-mail:${gameId}`, rule)
    await queueBulkMail(deps, transaction, recipients, ({ id, email }) => {
      const token = sealUnsubscribeToken(id, config.secretKey)
      return renderGameMail({ recipient: email, language, platformName }, { game: title, subject, text }, { origin, token })
    })
    return { recipients: recipients.length, title }
  })
}

/** Unsubscribes the owner of the token from all mails about games. @throws Problem `email.unsubscribe` */
export async function unsubscribeFromGameMail({ db, config }: Pick<GameMailDeps, 'config' | 'db'>, token: string): Promise<void> {
  const userId = openUnsubscribeToken(token, config.secretKey)
  if (userId === undefined) throw new Problem('email.unsubscribe')
  await createGameMailRepository(db).setGameMail(userId, false)
}
