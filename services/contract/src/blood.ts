import { Defaults } from './limits.ts'
import { solvePoints } from './score.ts'
import { type BloodType, bloodTypes } from './vocabulary.ts'

/** Bonuses of the first three solvers, in per mille of the challenge's value (0 to 1000 each). */
export type BloodBonusPerMille = Readonly<{
  first: number
  second: number
  third: number
}>

/** Bonuses of the first three solvers in points. If a game has bonuses in points, its bonuses in per mille do not apply. */
export type BloodPoints = Readonly<{
  first: number
  second: number
  third: number
}>

const partSize = 1024
const maxPart = 1000

function splitParts(encoded: number): BloodBonusPerMille {
  return {
    first: Math.floor(encoded / partSize ** 2) % partSize,
    second: Math.floor(encoded / partSize) % partSize,
    third: encoded % partSize,
  }
}

function isValid({ first, second, third }: BloodBonusPerMille): boolean {
  return [first, second, third].every((part) => Number.isInteger(part) && part >= 0 && part <= maxPart)
}

/**
 * Decodes the bonuses of the first, second and third solver from bits 20-29, 10-19 and 0-9. A bonus of 0 means no bonus. If one
 * of the bonuses is above 1000, the default applies to all three bonuses.
 */
export function decodeBloodBonus(encoded: number): BloodBonusPerMille {
  const parts = splitParts(encoded)
  return isValid(parts) ? parts : splitParts(Defaults.bloodBonus)
}

/** Encodes the three bonuses in one number. @throws RangeError if a bonus is not an integer from 0 to 1000 */
export function encodeBloodBonus(bonus: BloodBonusPerMille): number {
  if (!isValid(bonus)) throw new RangeError('A blood bonus is a whole number of per mille from 0 to 1000')
  return (bonus.first * partSize + bonus.second) * partSize + bonus.third
}

/**
 * Returns the type of a solve by its place.
 * @param place 1 for the first solver of the challenge; 0 if the challenge has no bloods
 */
export function solveRankOf(place: number): BloodType | 'Normal' {
  return bloodTypes[place - 1] ?? 'Normal'
}

type BloodBonusRule = Readonly<{
  /** Bonuses as shares of the challenge's value, in the encoding of `encodeBloodBonus`. */
  bloodBonus: number
  /** Bonuses in points. If present, `bloodBonus` does not apply. */
  bloodPoints?: BloodPoints | null | undefined
}>

/**
 * Returns a function that adds a solver's bonus to the value of a challenge. Its argument `place` is 1 for the first solver, and
 * 0 if the challenge has no bloods. Rules: docs/contract/flags-and-scoring.md#bonuses.
 */
export function createPointsByPlace({ bloodBonus, bloodPoints }: BloodBonusRule): (value: number, place: number) => number {
  if (bloodPoints) {
    const points = [bloodPoints.first, bloodPoints.second, bloodPoints.third]
    return (value, place) => value + (points[place - 1] ?? 0)
  }
  const { first, second, third } = decodeBloodBonus(bloodBonus)
  const shares = [first, second, third]
  return (value, place) => solvePoints(value, shares[place - 1] ?? 0)
}
