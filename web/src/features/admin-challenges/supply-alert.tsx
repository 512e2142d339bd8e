import { useTranslation } from 'react-i18next'
import { Alert } from '../../components/ui/badge.tsx'
import type { rateFlagFileSupply } from './flag-lines.ts'

const tones = { none: 'info', short: 'bad', thin: 'info', upcoming: 'info', enough: 'ok' } as const

type FileSupplyAlertProps = Readonly<{
  files: number
  teams: number
  supply: ReturnType<typeof rateFlagFileSupply>
}>

export function FileSupplyAlert({ files, teams, supply }: FileSupplyAlertProps) {
  const { t } = useTranslation('admin-challenges')
  const isCompared = supply !== 'none' && supply !== 'upcoming'
  return (
    <Alert
      tone={tones[supply]}
      title={supply === 'upcoming' ? t('flags.supply.upcoming', { count: files }) : t(`flags.supply.${supply}`)}
    >
      {isCompared ? t('flags.supply.text', { files, teams, best: teams * 2 }) : t('flags.supply.each')}
    </Alert>
  )
}
