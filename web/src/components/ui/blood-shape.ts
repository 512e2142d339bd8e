import { bloodTypes } from '@capstan/contract/vocabulary'

/** First, second or third blood. */
export type BloodPlace = 1 | 2 | 3

/** 1, 2, 3 for a blood; undefined for everything else. @param type of a solve or a notice */
export function bloodPlace(type: string): BloodPlace | undefined {
  const index = (bloodTypes as readonly string[]).indexOf(type)
  return index < 0 ? undefined : ((index + 1) as BloodPlace)
}

/** The mark fills a square of so many units. */
export const bloodUnits = 16

/** From the tip of the drop, which the digit is cut out of. */
const drop = 'c0 0-6.2 5.3-6.2 9.3a6.2 6.2 0 0 0 12.4 0c0-4-6.2-9.3-6.2-9.3z'
/** Path of a drop without a digit, in the middle of its square. */
export const dropPath = `M8 .4${drop}`

const digits: Readonly<Record<BloodPlace, string>> = {
  1: 'm-.8 5.8h2v7h-2v-4.8l-1.5.8v-1.8z',
  2: 'm-2.3 5.8h3.4a1.2 1.2 0 0 1 1.2 1.2v1.8a1.2 1.2 0 0 1-1.2 1.2h-1.7v1.2h2.9v1.6h-4.6v-3.1a1.2 1.2 0 0 1 1.2-1.2h1.7v-1.1h-2.9z',
  3: 'm-2.3 5.8h3.4a1.2 1.2 0 0 1 1.2 1.2v4.6a1.2 1.2 0 0 1-1.2 1.2h-3.4v-1.6h2.9v-1.2h-2.3v-1.5h2.3v-1.1h-2.9z',
}

/** Path of a mark around a point; to be filled by the even-odd rule, so that the digit shows what is behind. */
export function bloodPath(place: BloodPlace, x = bloodUnits / 2, y = bloodUnits / 2): string {
  return `M${x} ${y - 7.6}${drop}${digits[place]}`
}
