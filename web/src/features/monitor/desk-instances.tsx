import type { MonitoredChallenge } from '@capstan/contract/monitor'
import { ownOperations } from '@capstan/contract/operations'
import { useTranslation } from 'react-i18next'
import { ChallengeHealthTable } from '../../components/challenge-health/challenge-health-table.tsx'
import { useCall } from '../../lib/server-state.ts'
import { DashboardTile } from './desk-tile.tsx'
import { useMonitorLinks } from './links.tsx'

/** Sorts challenges: failing ones first, then those with failed starts, then by number of instances. */
function byHealth(challenges: readonly MonitoredChallenge[]): readonly MonitoredChallenge[] {
  return challenges
    .filter(({ instances }) => instances !== null)
    .toSorted(
      ({ instances: one }, { instances: other }) =>
        (other?.failing ?? 0) - (one?.failing ?? 0) ||
        (other?.failedStarts ?? 0) - (one?.failedStarts ?? 0) ||
        (other?.running ?? 0) - (one?.running ?? 0),
    )
}

export function DeskInstances({ gameId }: { readonly gameId: number }) {
  const { t } = useTranslation(['monitor', 'challenge-health'])
  const links = useMonitorLinks(gameId)
  const { data } = useCall(ownOperations.listMonitoredChallenges, { params: { id: gameId } })
  const challenges = byHealth(data ?? [])
  if (challenges.length === 0) return null
  return (
    <DashboardTile title={t('desk.byInstances')}>
      <ChallengeHealthTable
        label={t('challenge-health:challenge')}
        challenges={challenges}
        challengeTo={links.challenge}
        instancesTo={links.instances}
      />
    </DashboardTile>
  )
}
