import { operations } from '@capstan/contract/operations'
import { hasRole } from '@capstan/contract/roles'
import { useTranslation } from 'react-i18next'
import { Page } from '../../../components/layout/page.tsx'
import { ButtonLink } from '../../../components/ui/button.tsx'
import { ErrorState } from '../../../components/ui/states.tsx'
import { TableSkeleton } from '../../../components/ui/table-skeleton.tsx'
import { useNow } from '../../../components/ui/time.tsx'
import { BeforeStart } from '../../../features/monitor/before-start.tsx'
import { CheatList } from '../../../features/monitor/cheat-list.tsx'
import { phaseOf, useGame, useGameId } from '../../../lib/game.ts'
import { useHub } from '../../../lib/live.ts'
import { paths } from '../../../lib/paths.ts'
import { useCall } from '../../../lib/server-state.ts'
import { useSession } from '../../../lib/session.ts'

export function Route() {
  const { t } = useTranslation('monitor')
  const id = useGameId()
  const { data: game } = useGame(id)
  const { role } = useSession()
  const now = useNow()
  const hasBegun = game !== undefined && phaseOf(game, now) !== 'upcoming'
  const { data, error, mutate } = useCall(operations.listCheats, hasBegun ? { params: { id } } : null)
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
    <Page title={t('cheatInfo')} hideTitle>
      {game && !hasBegun && <BeforeStart start={game.start} />}
      {hasBegun && !data && !error && <TableSkeleton dense columns={['52px', '60%', '60%', '50%', '70%', '80%']} />}
      {hasBegun && !data && error && <ErrorState error={error} onRetry={() => mutate()} />}
      {hasBegun && data && (
        <CheatList
          records={data}
          action={hasRole(role, 'Admin') && <ButtonLink to={paths.adminGameReview.to(id)}>{t('cheat.review')}</ButtonLink>}
        />
      )}
    </Page>
  )
}
