import type { Award } from '@capstan/contract/awards'
import type { AwardRow } from './repository.ts'

export function presentAward({ awardedAt, revokedAt, ...award }: AwardRow): Award {
  return { ...award, time: awardedAt.getTime(), revokedAt: revokedAt?.getTime() ?? null }
}
