import { decodeBloodBonus, encodeBloodBonus } from '@capstan/contract/blood'

/** Bonuses of the first three solvers in percent, as typed. */
export interface BloodPercents {
  readonly bloodFirst: string
  readonly bloodSecond: string
  readonly bloodThird: string
}

/** @param encoded as on the wire */
export const bloodPercentsOf = (encoded: number): BloodPercents => {
  const { first, second, third } = decodeBloodBonus(encoded)
  return { bloodFirst: String(first / 10), bloodSecond: String(second / 10), bloodThird: String(third / 10) }
}

const perMille = (percent: string) => Math.round(Number(percent) * 10)

/** As on the wire. @throws RangeError for what is no percentage from 0 to 100 */
export const bloodBonusOf = ({ bloodFirst, bloodSecond, bloodThird }: BloodPercents): number =>
  encodeBloodBonus({ first: perMille(bloodFirst), second: perMille(bloodSecond), third: perMille(bloodThird) })
