import { decodeBloodBonus, encodeBloodBonus } from '@capstan/contract/blood'

/** Bonuses of the first three solvers, in percent as typed. */
export type BloodPercents = Readonly<{
  bloodFirst: string
  bloodSecond: string
  bloodThird: string
}>

/**
 * Decodes bonuses.
 * @param encoded as on the wire
 */
export function bloodPercentsOf(encoded: number): BloodPercents {
  const { first, second, third } = decodeBloodBonus(encoded)
  return { bloodFirst: String(first / 10), bloodSecond: String(second / 10), bloodThird: String(third / 10) }
}

function perMille(percent: string) {
  return Math.round(Number(percent) * 10)
}

export function bloodBonusOf({ bloodFirst, bloodSecond, bloodThird }: BloodPercents): number {
  return encodeBloodBonus({ first: perMille(bloodFirst), second: perMille(bloodSecond), third: perMille(bloodThird) })
}
