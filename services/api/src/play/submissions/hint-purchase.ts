import { type Hint, hintEvent } from '@capstan/contract/hints'
import { Problem } from '@capstan/contract/problems'
import type { Database } from '@capstan/db/client'
import { listStoredHints, refusePurchase } from '../../rules/scoring/hints.ts'
import type { Player } from '../../server/players/service.ts'
import type { SessionUser } from '../../server/sessions/session-user.ts'
import { createHintRepository } from './hint-repository.ts'
import type { PlayedChallenge } from './repository.ts'

export type Purchase = Readonly<{
  player: Player
  challenge: PlayedChallenge['challenge']
  hintId: string
  user: Pick<SessionUser, 'id' | 'userName'>
  /** Price that the player accepted. */
  accepted: number
  /** Points of the team before the prices of purchased hints are subtracted. */
  earned: number
  boughtAt: Date
}>

/** Values of the event that records a purchase. */
export type PurchaseEvent = readonly [typeof hintEvent, id: string, title: string, price: string, text: string]

type Offer =
  | Readonly<{ owned: Hint }>
  | Readonly<{ owned?: never; text: string; price: number; allowsDebt: boolean; place: number }>

/**
 * Finds a hint that a team wants to buy. Does not check the points of the team.
 * @returns an object with `owned` if the team has already bought the hint, or if the hint has no price
 * @throws Problem `hint.unknown`, `hint.price`
 */
export async function findHintOffer(
  hints: ReturnType<typeof createHintRepository>,
  { player, challenge, hintId, accepted }: Pick<Purchase, 'player' | 'challenge' | 'hintId' | 'accepted'>,
): Promise<Offer> {
  const offered = await hints.findOffered(challenge.id)
  const all = offered ? listStoredHints(offered) : []
  const place = all.findIndex(({ id }) => id === hintId)
  const found = all[place]
  if (!offered || !found) throw new Problem('hint.unknown')
  const { text, price } = found
  const paid = await hints.findPaid({ participationId: player.participation.id, hintId })
  if (paid !== undefined || price === 0) return { owned: { text, price: paid ?? 0 } }
  const { allowsDebt } = offered
  const refusal = refusePurchase(price, { accepted, allowsDebt, score: Infinity })
  if (refusal) throw new Problem(refusal, { detail: `The hint costs ${price} points now.` })
  return { text, price, allowsDebt, place }
}

/**
 * Stores a purchase with its event, unless the team has already bought the hint.
 * @throws Problem `hint.unknown`, `hint.price`, `hint.points`
 */
export function storeHintPurchase(
  db: Database,
  { player, challenge, hintId, user, accepted, earned, boughtAt }: Purchase,
): Promise<{ readonly hint: Hint; readonly event?: PurchaseEvent }> {
  return db.transaction(async (transaction) => {
    const hints = createHintRepository(transaction)
    const participationId = player.participation.id
    await hints.lockBuyer(participationId)
    const offer = await findHintOffer(hints, { player, challenge, hintId, accepted })
    if (offer.owned) return { hint: offer.owned }
    const { text, price, allowsDebt, place } = offer
    const score = earned - (await hints.sumPaid(participationId))
    const refusal = refusePurchase(price, { accepted, allowsDebt, score })
    if (refusal) throw new Problem(refusal, { detail: `The hint costs ${price} points, and the team has ${score}.` })
    const gameId = player.game.id
    await hints.insert({ ...{ gameId, challengeId: challenge.id, participationId, hintId }, userId: user.id, price, boughtAt })
    const said = `Bought hint ${place + 1} of "${challenge.title}" for ${price} points`
    const event: PurchaseEvent = [hintEvent, String(challenge.id), challenge.title, String(price), said]
    await hints.insertEvent({
      ...{ gameId, type: 'Normal', values: [...event], occurredAt: boughtAt, userId: user.id, teamId: player.team.id },
    })
    return { hint: { text, price }, event }
  })
}
