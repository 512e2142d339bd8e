// Purchases of hints. Rules: docs/contract/flags-and-scoring.md#hints.
import { type Hint, hintEvent } from '@capstan/contract/hints'
import { canSubmissionScorePoints } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import type { Database, Executor } from '@capstan/db/client'
import { listStoredHints, refusePurchase } from '../../rules/scoring/hints.ts'
import type { Recorder } from '../../server/logs/record.ts'
import type { Player } from '../../server/players/service.ts'
import type { SessionUser } from '../../server/sessions/session-user.ts'
import { standingOfOwnTeam } from '../scoreboard/own-standing.ts'
import type { PlayDeps } from './deps.ts'
import {
  findOfferedHints,
  findPaidPrice,
  insertPurchase,
  insertPurchaseEvent,
  lockBuyer,
  sumPaidPrices,
} from './hint-repository.ts'
import { getPlayedChallenge, type PlayedChallengeDeps } from './played-challenge.ts'
import type { ChallengeRow } from './repository.ts'

type Buyer = Pick<SessionUser, 'id' | 'userName'>

type PurchaseCall = Readonly<{
  gameId: number
  challengeId: number
  hintId: string
  /** Price that the player accepted. */
  acceptedPrice: number
  user: Buyer
  record: Recorder
}>

type Purchase = Readonly<{
  player: Player
  challenge: ChallengeRow
  hintId: string
  user: Buyer
  acceptedPrice: number
  /** Points of the team before the prices of purchased hints are subtracted. */
  earned: number
  boughtAt: Date
}>

/** Values of the event that records a purchase. */
type PurchaseEvent = readonly [typeof hintEvent, id: string, title: string, price: string, text: string]

type Offer =
  | Readonly<{ owned: Hint }>
  | Readonly<{ owned?: never; text: string; price: number; allowsDebt: boolean; place: number }>

/**
 * Buys a hint for the caller's team. After the end of the game, hints are free.
 * @throws Problem `challenge.unknown`, `hint.unknown`, `hint.price`, `hint.points`, or one of `PlayerService.get`
 */
export async function buyHint(
  deps: PlayedChallengeDeps & Pick<PlayDeps, 'players' | 'bus'>,
  { gameId, challengeId, hintId, acceptedPrice, user, record }: PurchaseCall,
): Promise<Hint> {
  const { db, bus, clock } = deps
  const player = await deps.players.get('challenge', gameId, user.id)
  const { challenge } = await getPlayedChallenge(deps, player, challengeId, 'see')
  const boughtAt = clock.now()
  if (!canSubmissionScorePoints(boughtAt, { end: player.game.endsAt })) {
    const free = listStoredHints(challenge).find(({ id }) => id === hintId)
    if (!free) throw new Problem('hint.unknown')
    return { text: free.text, price: 0 }
  }
  // Check everything except the points first, because a build of the board is costly.
  const offer = await findHintOffer(db, { player, challenge, hintId, acceptedPrice })
  if (offer.owned) return offer.owned
  const earned = await readEarnedPoints(deps, player)
  const { hint, event } = await storeHintPurchase(db, { player, challenge, hintId, user, acceptedPrice, earned, boughtAt })
  if (event) {
    const { team } = player
    const about = { time: boughtAt.toISOString(), user: user.userName, team: team.name }
    bus.publish({ kind: 'event', gameId, payload: { ...about, type: 'Normal', values: [...event] } })
    record(`Team "${team.name}" bought a hint of "${challenge.title}" for ${hint.price} points`)
  }
  return hint
}

/** Returns the points of a team before the prices of purchased hints are subtracted. */
async function readEarnedPoints({ scoreboards }: Pick<PlayDeps, 'scoreboards'>, player: Player): Promise<number> {
  // Read the cached board first, so that it remains cached and `readCurrent` builds only after a change.
  await scoreboards.read(player.game.id, 'live')
  const boards = await scoreboards.readCurrent(player.game.id)
  // During a freeze, compute the points from frozen values. Otherwise, a refused purchase could reveal hidden solves.
  const standing = boards && standingOfOwnTeam(player, boards)
  return (standing?.score ?? 0) + (standing?.boughtHints ?? []).reduce((sum, { price }) => sum + price, 0)
}

/**
 * Finds a hint that a team wants to buy. Does not check the points of the team.
 * @returns an object with `owned` if the team has already bought the hint, or if the hint has no price
 * @throws Problem `hint.unknown`, `hint.price`
 */
async function findHintOffer(
  db: Executor,
  { player, challenge, hintId, acceptedPrice }: Pick<Purchase, 'player' | 'challenge' | 'hintId' | 'acceptedPrice'>,
): Promise<Offer> {
  const offered = await findOfferedHints(db, challenge.id)
  const all = offered ? listStoredHints(offered) : []
  const place = all.findIndex(({ id }) => id === hintId)
  const found = all[place]
  if (!offered || !found) throw new Problem('hint.unknown')
  const { text, price } = found
  const paid = await findPaidPrice(db, { participationId: player.participation.id, hintId })
  if (paid !== undefined || price === 0) return { owned: { text, price: paid ?? 0 } }
  const { allowsDebt } = offered
  const refusal = refusePurchase(price, { accepted: acceptedPrice, allowsDebt, score: Infinity })
  if (refusal) throw new Problem(refusal, { detail: `The hint costs ${price} points now.` })
  return { text, price, allowsDebt, place }
}

/**
 * Stores a purchase with its event, unless the team has already bought the hint.
 * @throws Problem `hint.unknown`, `hint.price`, `hint.points`
 */
function storeHintPurchase(
  db: Database,
  { player, challenge, hintId, user, acceptedPrice, earned, boughtAt }: Purchase,
): Promise<Readonly<{ hint: Hint; event?: PurchaseEvent }>> {
  return db.transaction(async (transaction) => {
    const participationId = player.participation.id
    await lockBuyer(transaction, participationId)
    const offer = await findHintOffer(transaction, { player, challenge, hintId, acceptedPrice })
    if (offer.owned) return { hint: offer.owned }
    const { text, price, allowsDebt, place } = offer
    const score = earned - (await sumPaidPrices(transaction, participationId))
    const refusal = refusePurchase(price, { accepted: acceptedPrice, allowsDebt, score })
    if (refusal) throw new Problem(refusal, { detail: `The hint costs ${price} points, and the team has ${score}.` })
    const gameId = player.game.id
    await insertPurchase(transaction, {
      ...{ gameId, challengeId: challenge.id, participationId, hintId, userId: user.id, price, boughtAt },
    })
    const said = `Bought hint ${place + 1} of "${challenge.title}" for ${price} points`
    const event: PurchaseEvent = [hintEvent, String(challenge.id), challenge.title, String(price), said]
    await insertPurchaseEvent(transaction, {
      ...{ gameId, type: 'Normal', values: [...event], occurredAt: boughtAt, userId: user.id, teamId: player.team.id },
    })
    return { hint: { text, price }, event }
  })
}
