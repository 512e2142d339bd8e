import type { ParticipationRef } from '@capstan/contract/games'
import { operations } from '@capstan/contract/operations'
import { useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { showToast } from '../../components/ui/toast.ts'
import { getErrorTitle } from '../../lib/error-title.ts'
import { call } from '../../lib/http.ts'
import { refreshCallsWithPrefix } from '../../lib/server-state.ts'

/** Suspends a team immediately and offers an undo, which restores the previous status. */
export function useSuspend(gameId: number) {
  const { t } = useTranslation(['monitor', 'common'])
  const [busy, setBusy] = useState<ReadonlySet<number>>(new Set())

  const change = useCallback(
    async ({ id, team, status: before }: ParticipationRef, to: ParticipationRef['status'], isUndo: boolean) => {
      setBusy((known) => new Set([...known, id]))
      try {
        await call(operations.setParticipationStatus, { params: { id, status: to } })
        showToast({
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
        await Promise.all([
          refreshCallsWithPrefix(`/api/game/${gameId}/monitor`),
          refreshCallsWithPrefix(`/api/game/${gameId}/participations`),
        ])
      } catch (error) {
        showToast({ tone: 'bad', title: t('monitor:cheat.notSuspended', { team: team.name }), text: getErrorTitle(error) })
      } finally {
        setBusy((known) => new Set([...known].filter((each) => each !== id)))
      }
    },
    [gameId, t],
  )
  return { busy, suspend: (participation: ParticipationRef) => void change(participation, 'Suspended', false) }
}
