import type { CapturedChallenge, CaptureHealth } from '@capstan/contract/captures'
import { useTranslation } from 'react-i18next'
import { SkeletonLines } from '../../components/ui/skeleton.tsx'
import { ErrorState } from '../../components/ui/states.tsx'
import { SegmentedControl } from '../../components/ui/tabs.tsx'
import { useQueryState } from '../../lib/query-state.ts'
import type { CallFailure } from '../../lib/server-state.ts'
import { ConnectionList } from './connection-list.tsx'
import { RecorderAlert, RecordingStatusTable } from './recorder-health.tsx'
import { TrafficScreen } from './traffic-screen.tsx'

const trafficViews = ['recordings', 'connections', 'recorder'] as const

type TrafficViewsProps = Readonly<{
  gameId: number
  challenges: readonly CapturedChallenge[]
  /** Health of the recorder. Undefined before the first response. */
  health: Readonly<{
    data?: CaptureHealth | undefined
    error?: CallFailure | undefined
    mutate: () => unknown
  }>
}>

export function TrafficViews({ gameId, challenges, health }: TrafficViewsProps) {
  const { t } = useTranslation('monitor')
  const { get, set } = useQueryState()
  const view = trafficViews.find((each) => each === get('view')) ?? 'recordings'
  return (
    <div className="stack">
      <div className="row">
        <SegmentedControl
          label={t('trafficView.label')}
          value={view}
          onValueChange={(next) =>
            set({ view: next === 'recordings' ? undefined : next, q: undefined, which: undefined, page: undefined })
          }
          options={trafficViews.map((value) => ({ value, label: t(`trafficView.${value}`) }))}
        />
      </div>
      {health.data && (view === 'recorder' || (view === 'recordings' && challenges.length > 0)) && (
        <RecorderAlert health={health.data} />
      )}
      {view === 'recordings' && <TrafficScreen gameId={gameId} challenges={challenges} recorder={health.data?.recorder} />}
      {view === 'connections' && <ConnectionList gameId={gameId} challenges={challenges} />}
      {view === 'recorder' && health.data && <RecordingStatusTable health={health.data} />}
      {view === 'recorder' && !health.data && health.error && <ErrorState error={health.error} onRetry={health.mutate} />}
      {view === 'recorder' && !health.data && !health.error && <SkeletonLines count={6} />}
    </div>
  )
}
