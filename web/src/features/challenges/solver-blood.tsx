import type { Solver } from '@capstan/contract/board-parts'
import { bloodTypes } from '@capstan/contract/vocabulary'
import { useTranslation } from 'react-i18next'
import { BloodMark } from '../../components/ui/blood-mark.tsx'
import { bloodPlace } from '../../components/ui/blood-shape.ts'

/** Blood mark of one of the first three solvers. */
export function SolverBlood({ type }: Pick<Solver, 'type'>) {
  const { t } = useTranslation('challenges')
  const place = bloodPlace(type)
  if (place === undefined) return null
  return <BloodMark place={place} label={t(`blood.${bloodTypes[place - 1] ?? 'ThirdBlood'}`)} />
}
