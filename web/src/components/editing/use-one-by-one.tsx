import { type ReactNode, useState } from 'react'
import { type Action, useAction } from '../ui/form.ts'
import { ErrorText } from '../ui/states.tsx'
import styles from './editing.module.css'
import { type Outcome, oneByOne } from './one-by-one.ts'

type OneByOneSteps<Item> = Readonly<{
  act: (item: Item) => Promise<unknown>
  /** Called after each run. Failed items remain for another one. */
  onTried: (outcome: Outcome<Item>) => unknown
  keyOf: (item: Item) => string | number
  nameOf: (item: Item) => string
  /** Returns the heading above the names and reasons of failed items. */
  failed: (count: number) => ReactNode
  /** Maximum number of listed failures. The default is all. */
  listed?: number
}>

/** Applies an action to items one by one. Failed items remain with their reason, and the next run retries them. */
export function useOneByOne<Item>(items: readonly Item[], { act, onTried, keyOf, nameOf, failed, listed }: OneByOneSteps<Item>) {
  const [left, setLeft] = useState(items)
  const [handled, setHandled] = useState(0)
  const [failures, setFailures] = useState<Outcome<Item>['failed']>([])
  const action: Action<[]> = useAction(async () => {
    setHandled(0)
    setFailures([])
    const outcome = await oneByOne(left, act, { onProgress: setHandled })
    await onTried(outcome)
    if (outcome.failed.length === 0) return
    setLeft(outcome.failed.map(({ item }) => item))
    setFailures(outcome.failed)
  })
  const error =
    failures.length > 0 ? (
      <>
        {failed(failures.length)}
        {failures.slice(0, listed).map(({ item, error }) => (
          <span key={keyOf(item)} className={styles.failure}>
            <bdi>{nameOf(item)}</bdi>: <ErrorText error={error} />
          </span>
        ))}
      </>
    ) : action.error !== undefined ? (
      <ErrorText error={action.error} />
    ) : undefined
  return { left, handled, hasFailures: failures.length > 0, busy: action.busy, run: action.run, error }
}
