import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { cx } from '../ui/cx.ts'
import { ConfirmationDialog } from '../ui/dialog.tsx'
import { useAction } from '../ui/form.ts'
import { ErrorText } from '../ui/states.tsx'
import { showToast } from '../ui/toast.ts'
import styles from './editing.module.css'
import { runSequentially } from './run-sequentially.ts'

type BulkActionDialogProps<Item> = Readonly<{
  /** Items that were selected when the dialog opened. After the action, the list may no longer contain them. */
  items: readonly Item[]
  keyOf: (item: Item) => string | number
  nameOf: (item: Item) => string
  label: (count: number) => string
  description: string
  danger?: boolean
  children?: ReactNode
  /** True until the user has filled in all options. */
  isIncomplete?: boolean
  act: (item: Item) => Promise<unknown>
  /** Refreshes the list after each attempt to apply the action. */
  onTried: () => Promise<unknown>
  /** Function that is called when the dialog closes. It receives the items for which the action succeeded. */
  onClose: (done: readonly Item[]) => void
}>

type Result = { readonly state: 'done' } | Readonly<{ state: 'failed'; error: unknown }>

/**
 * Asks for confirmation, then applies an action to the items one by one. Shows the result of each item. An error that all items
 * share is shown only once. Failed items can be retried.
 */
export function BulkActionDialog<Item>(props: BulkActionDialogProps<Item>) {
  const { keyOf, nameOf, label, description, danger, isIncomplete, act, onTried, onClose } = props
  const { t } = useTranslation('editing')
  const [items] = useState(props.items)
  const [results, setResults] = useState<ReadonlyMap<string | number, Result>>(new Map())
  const isDone = (item: Item) => results.get(keyOf(item))?.state === 'done'
  const left = items.filter((item) => !isDone(item))
  const run = useAction(async () => {
    const put = (item: Item, result: Result) => setResults((known) => new Map(known).set(keyOf(item), result))
    const { failed } = await runSequentially(left, async (item) => {
      await act(item)
      put(item, { state: 'done' })
    })
    const [first] = failed
    const isShared = failed.length > 1 && failed.every(({ error }) => error === first?.error)
    if (!isShared) for (const { item, error } of failed) put(item, { state: 'failed', error })
    await onTried()
    if (isShared) throw first?.error
    if (first !== undefined) return
    showToast({ tone: 'ok', title: t('manyDone', { count: items.length }) })
    onClose(items)
  })
  return (
    <ConfirmationDialog
      open
      onOpenChange={() => !run.busy && onClose(items.filter(isDone))}
      title={label(left.length)}
      description={
        <div className="stack gap-2">
          <p>{description}</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable by keyboard */}
          <ul className={cx('box divided small', styles.results)} aria-label={t('manyResults')} tabIndex={0}>
            {items.map((item) => {
              const result = results.get(keyOf(item))
              return (
                <li key={keyOf(item)} className="row row-between" data-state={result?.state}>
                  <strong className="bright medium wrap-anywhere">
                    <bdi>{nameOf(item)}</bdi>
                  </strong>
                  {result?.state === 'done' && <span>{t('manyItemDone')}</span>}
                  {result?.state === 'failed' && (
                    <span>
                      <ErrorText error={result.error} />
                    </span>
                  )}
                </li>
              )
            })}
          </ul>
        </div>
      }
      confirm={label(left.length)}
      danger={danger ?? false}
      busy={run.busy}
      isIncomplete={isIncomplete ?? false}
      error={run.error === undefined ? undefined : <ErrorText error={run.error} />}
      onConfirm={() => void run.run()}
    >
      {props.children}
    </ConfirmationDialog>
  )
}
