import { PageLimits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Skeleton } from '../../components/ui/skeleton.tsx'
import { ErrorState } from '../../components/ui/states.tsx'
import { useCall } from '../../lib/server-state.ts'
import styles from './award.module.css'
import { AwardDialog } from './award-dialog.tsx'
import { AwardPoints, AwardText, RevokeButton } from './award-parts.tsx'

type TeamAwardsProps = Readonly<{
  gameId: number
  team: { readonly id: number; readonly name: string }
}>

/** Points that organizers gave to a team or took from it. */
export function TeamAwards({ gameId, team }: TeamAwardsProps) {
  const { t } = useTranslation('admin-review')
  const { data, error, mutate } = useCall(ownOperations.listAwards, {
    params: { id: gameId },
    query: { teamId: team.id, count: PageLimits.max },
  })
  const [isOpen, setOpen] = useState(false)
  return (
    <section className="stack gap-2" aria-label={t('award.section')}>
      <div className="row">
        <h3 className="muted small medium grow">{t('award.section')}</h3>
        <Button size="small" onClick={() => setOpen(true)}>
          <Plus aria-hidden />
          {t('award.add')}
        </Button>
      </div>
      {!data && error && <ErrorState error={error} onRetry={() => mutate()} />}
      {!data && !error && <Skeleton height="20px" />}
      {data?.data.length === 0 && <p className="small muted">{t('award.none')}</p>}
      {data && data.data.length > 0 && (
        <ul className={styles.list}>
          {data.data.map((award) => (
            <li key={award.id}>
              <AwardPoints award={award} />
              <AwardText award={award} />
              <RevokeButton gameId={gameId} award={award} />
            </li>
          ))}
        </ul>
      )}
      {isOpen && <AwardDialog gameId={gameId} team={team} onClose={() => setOpen(false)} />}
    </section>
  )
}
