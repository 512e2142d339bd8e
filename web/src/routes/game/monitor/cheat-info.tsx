import { PageLimits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import { useTranslation } from 'react-i18next'
import { PageLayout } from '../../../components/layout/page.tsx'
import { ErrorState } from '../../../components/ui/states.tsx'
import { TableSkeleton } from '../../../components/ui/table-skeleton.tsx'
import { useNow } from '../../../components/ui/time.tsx'
import { BeforeStartNote } from '../../../features/monitor/before-start.tsx'
import { CheatList } from '../../../features/monitor/cheat-list.tsx'
import { useFeedFilters } from '../../../features/monitor/use-feed.ts'
import { phaseOfGame, useGame, useGameId } from '../../../lib/game.ts'
import { useHub } from '../../../lib/live.ts'
import { useCall } from '../../../lib/server-state.ts'

export function Route() {
  const { t } = useTranslation('monitor')
  const id = useGameId()
  const { data: game } = useGame(id)
  const now = useNow()
  const filters = useFeedFilters(PageLimits.pairs)
  const hasBegun = game !== undefined && phaseOfGame(game, now) !== 'upcoming'
  const { data, error, mutate } = useCall(ownOperations.findCheats, hasBegun ? { params: { id }, query: filters.query } : null, {
    keepPreviousData: true,
  })
  useHub(
    'monitor',
    id,
    {
      event: (event) => event.type === 'CheatDetected' && void mutate(),
      reconnected: () => void mutate(),
    },
    hasBegun,
  )
  return (
    <PageLayout title={t('cheatInfo')} hideTitle>
      {game && !hasBegun && <BeforeStartNote start={game.start} />}
      {hasBegun && (data || !error) && <CheatList gameId={id} filters={filters} found={data} />}
      {hasBegun && !data && error && <ErrorState error={error} onRetry={() => mutate()} />}
      {hasBegun && !data && !error && <TableSkeleton dense columns={['52px', '60%', '60%', '50%', '70%', '80%']} />}
    </PageLayout>
  )
}
