import type { ReactNode } from 'react'
import { cx } from './cx.ts'
import styles from './facts.module.css'

type FactsProps = Readonly<{
  /**
   * Style of the list: `tiles` has framed numbers, `figures` has large numbers below their names, `details` has values below
   * small names, and `pairs` has names beside values.
   */
  kind: 'tiles' | 'figures' | 'details' | 'pairs'
  className?: string | undefined
  children: ReactNode
}>

/** List of names with values. Its children are `Fact`. */
export function NamedValueList({ kind, className, children }: FactsProps) {
  return <dl className={cx(styles.facts, styles[kind], className)}>{children}</dl>
}

type FactProps = Readonly<{
  name: ReactNode
  tone?: 'ok' | 'warn' | 'bad' | undefined
  /** CSS class of the value. */
  className?: string | undefined
  children: ReactNode
}>

export function NamedValue({ name, tone, className, children }: FactProps) {
  return (
    <div data-tone={tone}>
      <dt>{name}</dt>
      <dd className={className}>{children}</dd>
    </div>
  )
}
