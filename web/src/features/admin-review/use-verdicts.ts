import { operations } from '@capstan/contract/operations'
import type { Verdict } from '@capstan/contract/vocabulary'
import { useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { runSequentially } from '../../components/editing/run-sequentially.ts'
import { announceToScreenReaders } from '../../components/ui/live-region.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { refreshCall } from '../../lib/server-state.ts'
import { listUndoChanges, type StatusChange } from './review.ts'

export type FailedChange = Readonly<{
  id: number
  to: Verdict
  error: unknown
}>

export type Verdicts = Readonly<{
  /** New statuses that the page shows before the server confirms the changes. The key is the participation id. */
  pending: ReadonlyMap<number, Verdict>
  /** Changes that the server refused. The page shows each error beside its team. */
  failed: readonly FailedChange[]
  /** @returns the teams whose status did not change */
  apply: (changes: readonly StatusChange[]) => Promise<readonly number[]>
}>

/** @param isLimited true if the game limits the number of teams, so that an approved team may be put on the waiting list */
export function useVerdicts(gameId: number, isLimited: boolean): Verdicts {
  const { t } = useTranslation(['admin-review', 'common'])
  const [pending, setPending] = useState<ReadonlyMap<number, Verdict>>(new Map())
  const [failed, setFailed] = useState<readonly FailedChange[]>([])

  const apply = useCallback(
    async (changes: readonly StatusChange[], isUndo = false) => {
      const ids = new Set(changes.map(({ id }) => id))
      setPending((known) => new Map([...known, ...changes.map(({ id, to }) => [id, to] as const)]))
      setFailed((known) => known.filter(({ id }) => !ids.has(id)))
      const outcome = await runSequentially(changes, async ({ id, from, to, division, withinLimit }) => {
        await call(operations.setParticipationStatus, {
          params: { id, status: to },
          ...(withinLimit && { query: { withinLimit } }),
        })
        if (isUndo && from === 'Rejected' && division !== null)
          await call(operations.setParticipationDivision, { params: { a: id, b: division } })
      })
      // Read the entire list again, because accepting a team also changes other data: it locks the team.
      await refreshCall(operations.listParticipations, { params: { id: gameId } })
      setFailed((known) => [...known, ...outcome.failed.map(({ item, error }) => ({ id: item.id, to: item.to, error }))])
      setPending((known) => new Map([...known].filter(([id]) => !ids.has(id))))
      const refused = outcome.failed.map(({ item }) => item.id)
      const [done] = outcome.done
      if (!done) return refused
      const title = isUndo
        ? t('admin-review:undone', { count: outcome.done.length })
        : t(`admin-review:done.${isLimited && done.withinLimit ? 'approved' : done.to}`, { count: outcome.done.length })
      // Several verdicts may follow quickly, so the toast names the team.
      const team = outcome.done.length === 1 ? done.team : undefined
      announceToScreenReaders(team === undefined ? title : `${title}: ${team}`)
      showToast({
        tone: 'ok',
        title,
        ...(team !== undefined && { text: team }),
        lastsMs: 10_000,
        ...(!isUndo && {
          action: { label: t('common:action.undo'), run: () => void apply(listUndoChanges(outcome.done), true) },
        }),
      })
      return refused
    },
    [gameId, isLimited, t],
  )
  return { pending, failed, apply }
}
