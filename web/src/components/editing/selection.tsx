import { type ReactNode, useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { updateSelection } from '../ui/data-table.tsx'
import { SelectionBar } from '../ui/toolbar.tsx'

export type Selection<Row, Key> = Readonly<{
  keys: ReadonlySet<Key>
  /** Selected rows of the current page. Actions apply to visible rows only. */
  chosen: readonly Row[]
  select: (keys: readonly Key[], isOn: boolean) => void
  clear: () => void
  /** Deselects rows after an action has changed them. */
  drop: (done: readonly Row[]) => void
}>

/** Manages the selected rows of a list. */
export function useRowSelection<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): Selection<Row, Key> {
  const [keys, setKeys] = useState<ReadonlySet<Key>>(new Set())
  const select = useCallback(
    (which: readonly Key[], isOn: boolean) => setKeys((known) => updateSelection(known, which, isOn)),
    [],
  )
  return {
    keys,
    chosen: keys.size === 0 ? [] : rows.filter((row) => keys.has(keyOf(row))),
    select,
    clear: () => setKeys(new Set()),
    drop: (done) => select(done.map(keyOf), false),
  }
}

type ChosenBarProps = Readonly<{
  selection: Pick<Selection<unknown, unknown>, 'chosen' | 'clear'>
  children: ReactNode
}>

export function BulkActionBar({ selection: { chosen, clear }, children }: ChosenBarProps) {
  const { t } = useTranslation('editing')
  if (chosen.length === 0) return null
  return (
    <SelectionBar label={t('selected', { count: chosen.length })} clearLabel={t('clearSelection')} onClear={clear}>
      {children}
    </SelectionBar>
  )
}
