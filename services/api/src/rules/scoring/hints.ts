import type { Hint, HintOffer, HintWrite, PricedHint } from '@capstan/contract/hints'
import type { ProblemCode } from '@capstan/contract/problems'

export type HintColumns = Readonly<{
  /** Texts of hints that never had a price, in order. */
  hints: string[]
  pricedHints: readonly PricedHint[]
}>

/** Stored hint. A hint gets an id when it gets its first price. The hint retains this id, because purchases refer to the id. */
export type StoredHint = Hint & Readonly<{ id?: string }>

/** Returns all hints of a challenge in order. */
export function listStoredHints({ hints, pricedHints }: HintColumns): StoredHint[] {
  const all: StoredHint[] = hints.map((text) => ({ text, price: 0 }))
  for (const { id, text, price, place } of pricedHints.toSorted((left, right) => left.place - right.place))
    all.splice(place, 0, { text, price, id })
  return all
}

/** @param newId creates an id for a hint that has a price for the first time */
export function toHintColumns(all: readonly StoredHint[], newId: () => string): HintColumns {
  const hints: string[] = []
  const pricedHints: PricedHint[] = []
  for (const [place, { text, price, id }] of all.entries()) {
    if (price === 0 && id === undefined) hints.push(text)
    else pricedHints.push({ id: id ?? newId(), text, price, place })
  }
  return { hints, pricedHints }
}

/**
 * Returns the hints of a request with the ids of the stored hints that they replace. Hints are matched by text, and otherwise by
 * position. A hint without a price retains the stored price.
 */
export function matchStoredHints(written: readonly HintWrite[], stored: readonly StoredHint[]): StoredHint[] {
  const textOf = (hint: HintWrite) => (typeof hint === 'string' ? hint : hint.text)
  const left = new Set(stored)
  const take = (found: StoredHint | undefined): StoredHint | undefined => {
    if (found) left.delete(found)
    return found
  }
  const equal = written.map((hint) => take([...left].find(({ text }) => text === textOf(hint))))
  const atPlace = (place: number) => take([...left].find((hint) => hint === stored[place]))
  return written.map((hint, place) => {
    const same = equal[place] ?? atPlace(place)
    const price = typeof hint === 'string' ? (same?.price ?? 0) : hint.price
    return { text: textOf(hint), price, ...(same?.id !== undefined && { id: same.id }) }
  })
}

/**
 * Returns the texts that a team sees, and the hints that it can buy. After the end of the game it sees all texts.
 * @param bought ids of the hints that the team has bought
 */
export function hintsVisibleToTeam(
  hints: readonly StoredHint[],
  bought: ReadonlySet<string>,
  isBeforeEnd: boolean,
): Readonly<{ texts: string[]; offers: HintOffer[] }> {
  const texts: string[] = []
  const offers: HintOffer[] = []
  for (const { id, text, price } of hints) {
    if (isBeforeEnd && price > 0 && id !== undefined && !bought.has(id)) offers.push({ id, price })
    else texts.push(text)
  }
  return { texts, offers }
}

/**
 * Returns the problem of a purchase, if any. Rules: docs/contract/flags-and-scoring.md#hints.
 * @param facts the price that the player accepted, and the score of the team without this purchase
 */
export function refusePurchase(
  price: number,
  { accepted, allowsDebt, score }: Readonly<{ accepted: number; allowsDebt: boolean; score: number }>,
): Extract<ProblemCode, 'hint.price' | 'hint.points'> | undefined {
  if (price > accepted) return 'hint.price'
  return !allowsDebt && price > score ? 'hint.points' : undefined
}
