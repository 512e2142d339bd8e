import { bloodTypes } from '@capstan/contract/vocabulary'

export type BloodPlace = 1 | 2 | 3

/**
 * Returns the place (1 to 3) of a first, second or third blood.
 * @param type type of a solve or a notice
 * @returns undefined for any other type
 */
export function bloodPlace(type: string): BloodPlace | undefined {
  const index = (bloodTypes as readonly string[]).indexOf(type)
  return index < 0 ? undefined : ((index + 1) as BloodPlace)
}

/** Side length of the square around a mark, in units. */
export const bloodUnits = 16

const drop = 'c0 0-6.2 5.3-6.2 9.3a6.2 6.2 0 0 0 12.4 0c0-4-6.2-9.3-6.2-9.3z'
/** SVG path of a drop of blood. */
export const dropPath = `M8 .4${drop}`

const digits: Readonly<Record<BloodPlace, string>> = {
  1: 'm-.8 5.8h2v7h-2v-4.8l-1.5.8v-1.8z',
  2: 'm-2.3 5.8h3.4a1.2 1.2 0 0 1 1.2 1.2v1.8a1.2 1.2 0 0 1-1.2 1.2h-1.7v1.2h2.9v1.6h-4.6v-3.1a1.2 1.2 0 0 1 1.2-1.2h1.7v-1.1h-2.9z',
  3: 'm-2.3 5.8h3.4a1.2 1.2 0 0 1 1.2 1.2v4.6a1.2 1.2 0 0 1-1.2 1.2h-3.4v-1.6h2.9v-1.2h-2.3v-1.5h2.3v-1.1h-2.9z',
}

/** Returns the path of a blood mark around a point. Fill the path with the even-odd rule to make the digit transparent. */
export function createBloodPath(place: BloodPlace, x = bloodUnits / 2, y = bloodUnits / 2): string {
  return `M${x} ${y - 7.6}${drop}${digits[place]}`
}
