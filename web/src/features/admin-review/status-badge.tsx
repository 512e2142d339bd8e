import type { ParticipationStatus } from '@capstan/contract/games'
import { Ban, CircleCheck, CircleX, Clock } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Badge } from '../../components/ui/badge.tsx'

const looks = {
  Pending: ['warn', Clock],
  Accepted: ['ok', CircleCheck],
  Rejected: ['neutral', CircleX],
  Suspended: ['bad', Ban],
  Unsubmitted: ['neutral', CircleX],
} as const

type StatusBadgeProps = Readonly<{
  status: ParticipationStatus
  /** Place on the waiting list. */
  place?: number | null | undefined
}>

export function StatusBadge({ status, place }: StatusBadgeProps) {
  const { t } = useTranslation('admin-review')
  const [tone, Icon] = looks[status]
  return (
    <Badge tone={tone}>
      <Icon aria-hidden />
      {status === 'Pending' && place != null ? t('waitingPlace', { place }) : t(`status.${status}`)}
    </Badge>
  )
}
