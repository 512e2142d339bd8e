/** Bonuses of the first three solvers in percent, as typed. */
export interface BloodPercents {
  readonly bloodFirst: string
  readonly bloodSecond: string
  readonly bloodThird: string
}

const partSize = 1024

/** Reads the wire's number: per mille in bits 20-29, 10-19 and 0-9. */
export const bloodPercentsOf = (encoded: number): BloodPercents => ({
  bloodFirst: String((Math.floor(encoded / partSize ** 2) % partSize) / 10),
  bloodSecond: String((Math.floor(encoded / partSize) % partSize) / 10),
  bloodThird: String((encoded % partSize) / 10),
})

const perMille = (percent: string) => Math.round(Number(percent) * 10)

export const bloodBonusOf = ({ bloodFirst, bloodSecond, bloodThird }: BloodPercents): number =>
  (perMille(bloodFirst) * partSize + perMille(bloodSecond)) * partSize + perMille(bloodThird)
