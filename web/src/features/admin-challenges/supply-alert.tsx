import { useTranslation } from 'react-i18next'
import { Alert } from '../../components/ui/badge.tsx'
import { supplyOf } from './flag-lines.ts'

const tones = { short: 'bad', thin: 'warn', enough: 'ok' } as const

interface SupplyAlertProps {
  readonly files: number
  readonly teams: number
}

/** Is there a file for every team? */
export function SupplyAlert({ files, teams }: SupplyAlertProps) {
  const { t } = useTranslation('admin-challenges')
  const supply = supplyOf(files, teams)
  return (
    <Alert tone={tones[supply]} title={t(`flags.supply.${supply}`)}>
      {t('flags.supply.text', { files, teams, best: Math.max(2, teams * 2) })}
    </Alert>
  )
}
