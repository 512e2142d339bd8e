import { decodeBloodBonus, encodeBloodBonus } from '@capstan/contract/blood'
import type { AdminGame, AdminGameWrite } from '@capstan/contract/games'

/** Bonuses of the first three solvers as entered in the form, either in percent or in points. */
export type TypedBloods = Readonly<{
  bloodInPoints: boolean
  bloodFirst: string
  bloodSecond: string
  bloodThird: string
}>

type StoredBloods = Pick<AdminGame, 'bloodBonus' | 'bloodPoints'>

export function toTypedBloodBonuses({ bloodBonus, bloodPoints }: StoredBloods): TypedBloods {
  const perMille = decodeBloodBonus(bloodBonus)
  const typed = (place: keyof typeof perMille) => String(bloodPoints ? bloodPoints[place] : perMille[place] / 10)
  return {
    bloodInPoints: bloodPoints !== null,
    bloodFirst: typed('first'),
    bloodSecond: typed('second'),
    bloodThird: typed('third'),
  }
}

function perMille(percent: string) {
  return Math.round(Number(percent) * 10)
}

/** Returns the bonuses to save. If the form contains bonuses in points, the stored percentages remain unchanged. */
export function toStoredBloodBonuses(
  { bloodInPoints, bloodFirst, bloodSecond, bloodThird }: TypedBloods,
  { bloodBonus }: Pick<StoredBloods, 'bloodBonus'>,
): Pick<AdminGameWrite, 'bloodBonus' | 'bloodPoints'> {
  return bloodInPoints
    ? { bloodBonus, bloodPoints: { first: Number(bloodFirst), second: Number(bloodSecond), third: Number(bloodThird) } }
    : {
        bloodBonus: encodeBloodBonus({ first: perMille(bloodFirst), second: perMille(bloodSecond), third: perMille(bloodThird) }),
        bloodPoints: null,
      }
}
