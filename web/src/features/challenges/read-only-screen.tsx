import { ownOperations } from '@capstan/contract/operations'
import { hasRole } from '@capstan/contract/roles'
import { Flag } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { ChallengeHealthTable } from '../../components/challenge-health/challenge-health-table.tsx'
import { Alert } from '../../components/ui/badge.tsx'
import { ButtonLink } from '../../components/ui/button.tsx'
import { createLazyComponent } from '../../components/ui/late.tsx'
import { EmptyState, ErrorState } from '../../components/ui/states.tsx'
import { TableSkeleton } from '../../components/ui/table-skeleton.tsx'
import { useNumberInAddress } from '../../lib/game.ts'
import { paths } from '../../lib/paths.ts'
import { useCall } from '../../lib/server-state.ts'
import { useSession } from '../../lib/session.ts'
import { ChallengeFailedDialog } from './challenge-failed.tsx'

/** Dialog for monitors. Its module also contains the dialog for players, because both use the same components. */
const ReadOnlyDialog = createLazyComponent({
  load: () => import('./challenge-dialog.tsx').then((file) => file.ReadOnlyChallengeDialog),
  Failed: ({ onGo, ...rest }) => <ChallengeFailedDialog {...rest} onClose={() => onGo(undefined)} />,
})

/** Challenge page for monitors, and for admins who do not play. It shows texts, files and states, but no flag forms. */
export function ReadOnlyChallengesScreen({ gameId }: { readonly gameId: number }) {
  const { t } = useTranslation('challenges')
  const { role } = useSession()
  const opened = useNumberInAddress('chalId')
  const navigate = useNavigate()
  const { data: challenges, error, mutate } = useCall(ownOperations.listMonitoredChallenges, { params: { id: gameId } })
  const isAdmin = hasRole(role, 'Admin')
  const at = challenges?.findIndex(({ id }) => id === opened) ?? -1
  const go = (id: number | undefined) =>
    void navigate(paths.challenges.to(gameId, id), { replace: true, preventScrollReset: true })
  return (
    <div className="stack">
      <Alert
        title={t(isAdmin ? 'gate.Admin' : 'gate.Monitor')}
        actions={
          <>
            <ButtonLink to={isAdmin ? paths.adminGameChallenges.to(gameId) : paths.monitor.to(gameId)}>
              {t(isAdmin ? 'gate.toAdmin' : 'gate.toMonitor')}
            </ButtonLink>
            <ButtonLink variant="ghost" to={paths.game.to(gameId)}>
              {t('gate.joinToo')}
            </ButtonLink>
          </>
        }
      >
        {t(isAdmin ? 'gate.AdminText' : 'gate.MonitorText')}
      </Alert>
      {!challenges && error && <ErrorState error={error} onRetry={() => mutate()} />}
      {!challenges && !error && <TableSkeleton dense columns={['60%', '32px', '32px', '60%', '80px']} />}
      {challenges?.length === 0 && (
        <EmptyState icon={Flag} title={t('readOnly.emptyTitle')}>
          {t('readOnly.emptyText')}
        </EmptyState>
      )}
      {challenges && challenges.length > 0 && (
        <ChallengeHealthTable
          label={t('title')}
          challenges={challenges}
          challengeTo={(id) => paths.challenges.to(gameId, id)}
          instancesTo={({ id, title }) =>
            isAdmin
              ? paths.adminInstances.to({ q: title })
              : paths.monitorTraffic.to(gameId, { challenge: id, view: 'connections' })
          }
        />
      )}
      {opened !== undefined && (
        <ReadOnlyDialog
          key={opened}
          gameId={gameId}
          id={opened}
          previous={challenges?.[at - 1]?.id}
          next={at < 0 ? undefined : challenges?.[at + 1]?.id}
          onGo={go}
        />
      )}
    </div>
  )
}
