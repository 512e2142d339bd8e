import type { SolveCorrection } from '@capstan/contract/corrections'
import type { CorrectionRow } from './correction-repository.ts'

export function presentCorrection({ solvedAt, correctedAt, revokedAt, ...correction }: CorrectionRow): SolveCorrection {
  return {
    ...correction,
    solvedAt: solvedAt.getTime(),
    time: correctedAt.getTime(),
    revokedAt: revokedAt?.getTime() ?? null,
  }
}
