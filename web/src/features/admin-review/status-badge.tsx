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

export function StatusBadge({ status }: { readonly status: ParticipationStatus }) {
  const { t } = useTranslation('admin-review')
  const [tone, Icon] = looks[status]
  return (
    <Badge tone={tone}>
      <Icon aria-hidden />
      {t(`status.${status}`)}
    </Badge>
  )
}
