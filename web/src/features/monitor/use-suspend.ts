import type { ParticipationRef } from '@capstan/contract/games'
import { operations } from '@capstan/contract/operations'
import { useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { toast } from '../../components/ui/toast.ts'
import { errorTitle } from '../../lib/error-title.ts'
import { call } from '../../lib/http.ts'
import { refreshUnder } from '../../lib/server-state.ts'

/** Suspends a team immediately and offers an undo, which restores the previous status. */
export function useSuspend(gameId: number) {
  const { t } = useTranslation(['monitor', 'common'])
  const [busy, setBusy] = useState<ReadonlySet<number>>(new Set())

  const change = useCallback(
    async ({ id, team, status: before }: ParticipationRef, to: ParticipationRef['status'], isUndo: boolean) => {
      setBusy((known) => new Set([...known, id]))
      try {
        await call(operations.setParticipationStatus, { params: { id, status: to } })
        toast({
          tone: 'ok',
          title: t(isUndo ? 'monitor:cheat.restored' : 'monitor:cheat.suspended', { team: team.name }),
          lastsMs: 10_000,
          ...(!isUndo && {
            action: {
              label: t('common:action.undo'),
              run: () => void change({ id, team, status: to, organization: null }, before, true),
            },
          }),
        })
        await Promise.all([refreshUnder(`/api/game/${gameId}/monitor`), refreshUnder(`/api/game/${gameId}/participations`)])
      } catch (error) {
        toast({ tone: 'bad', title: t('monitor:cheat.notSuspended', { team: team.name }), text: errorTitle(error) })
      } finally {
        setBusy((known) => new Set([...known].filter((each) => each !== id)))
      }
    },
    [gameId, t],
  )
  return { busy, suspend: (participation: ParticipationRef) => void change(participation, 'Suspended', false) }
}
