import type { ParticipationRef } from '@capstan/contract/games'
import { PageLimits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import { useTranslation } from 'react-i18next'
import { type Column, DataTable } from '../../components/ui/data-table.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { SkeletonLines } from '../../components/ui/skeleton.tsx'
import { ErrorState } from '../../components/ui/states.tsx'
import { formatExactDuration, formatExactTime, formatListTime } from '../../lib/format.ts'
import { isolateDirection } from '../../lib/i18n.ts'
import { useCall } from '../../lib/server-state.ts'
import { type ComparedSolve, compareSolves } from './compared-solves.ts'
import { LinkedName, useMonitorLinks } from './links.tsx'

type CompareDialogProps = Readonly<{
  gameId: number
  one: ParticipationRef['team']
  other: ParticipationRef['team']
  onClose: () => void
}>

export function CompareDialog({ gameId, one, other, onClose }: CompareDialogProps) {
  const { t } = useTranslation('monitor')
  const links = useMonitorLinks(gameId)
  const reads = [useSolves(gameId, one.id), useSolves(gameId, other.id)] as const
  const [first, second] = [reads[0].data?.data, reads[1].data?.data]
  const error = reads.find((read) => !read.data && read.error)?.error
  const columns: readonly Column<ComparedSolve>[] = [
    {
      head: t('cheat.challenge'),
      kind: 'name',
      className: 'wrap-anywhere',
      cell: ({ challengeId, challenge }) => <LinkedName to={links.challenge(challengeId)}>{challenge}</LinkedName>,
    },
    { head: isolateDirection(one.name), cell: (solve) => <SolvedAt at={solve.one} /> },
    { head: isolateDirection(other.name), cell: (solve) => <SolvedAt at={solve.other} /> },
    {
      head: t('compare.apart'),
      kind: 'end',
      className: 'nowrap',
      cell: ({ apartMs }) => (apartMs === undefined ? '–' : formatExactDuration(apartMs)),
    },
  ]
  const solves = first && second && compareSolves(first, second)
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      size="large"
      title={t('compare.title', { one: one.name, other: other.name })}
    >
      {error && <ErrorState error={error} onRetry={() => Promise.all(reads.map((read) => read.mutate()))} />}
      {!solves && !error && <SkeletonLines count={6} />}
      {solves?.length === 0 && <p className="muted">{t('compare.none')}</p>}
      {solves && solves.length > 0 && (
        <DataTable
          label={t('compare.table')}
          columns={columns}
          rows={solves}
          keyOf={({ challengeId }) => challengeId}
          dense
          listOnPhone
        />
      )}
    </Dialog>
  )
}

function useSolves(gameId: number, team: number) {
  return useCall(ownOperations.findSubmissions, {
    params: { id: gameId },
    query: { team, type: 'Accepted', count: PageLimits.max, skip: 0 },
  })
}

function SolvedAt({ at }: { readonly at: string | undefined }) {
  return at === undefined ? (
    '–'
  ) : (
    <time dateTime={at} title={formatExactTime(at)} className="number nowrap">
      {formatListTime(at, true)}
    </time>
  )
}
