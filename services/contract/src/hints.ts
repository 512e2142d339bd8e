import { type Static, Type } from 'typebox'
import { InputLimits, notNegative } from './limits.ts'

const text = Type.String({ maxLength: InputLimits.maxShortTextLength, description: 'Markdown.' })

/** Points that a team pays for a hint. */
export const HintPrice = Type.Integer({
  ...notNegative,
  maximum: InputLimits.maxScore,
  description: 'Points that a team pays for the text. 0: the hint is free.',
})

/** Hint of a challenge with its price, for organizers. */
export const Hint = Type.Object({ text, price: HintPrice }, { title: 'Hint' })
export type Hint = Static<typeof Hint>

/** Hint of a challenge in requests of organizers. */
export const HintWrite = Type.Union([text, Hint], {
  description: 'A text without a price retains the price of the hint that it replaces.',
})
export type HintWrite = Static<typeof HintWrite>

/** Hint that the caller's team can buy. */
export const HintOffer = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    price: Type.Integer({ format: 'int32', description: 'In points.' }),
  },
  { title: 'HintOffer' },
)
export type HintOffer = Static<typeof HintOffer>

export const HintPurchase = Type.Object(
  {
    price: Type.Integer({
      ...notNegative,
      maximum: InputLimits.maxScore,
      description: 'Price that the player accepted. 409 if the hint costs more now.',
    }),
  },
  { title: 'HintPurchase' },
)
export type HintPurchase = Static<typeof HintPurchase>

/** First item of `values` in the event that records the purchase of a hint. The type of the event is `Normal`. */
export const hintEvent = 'HintPurchase'

/** Purchase of a hint, as the board shows it. */
export const BoughtHint = Type.Object(
  {
    price: Type.Integer({ format: 'int32' }),
    time: Type.Integer({ format: 'int64', description: 'In ms since 1970.' }),
  },
  { title: 'BoughtHint' },
)
export type BoughtHint = Static<typeof BoughtHint>

/** Stored hint that has a price or had a price before. The id of the hint does not change when text, price or position change. */
export type PricedHint = Hint &
  Readonly<{
    id: string
    /** Index of the hint among all hints of the challenge. */
    place: number
  }>
