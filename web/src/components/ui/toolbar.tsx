import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { cx } from './cx.ts'
import styles from './toolbar.module.css'

type ToolbarProps = Readonly<{
  /** Search box, which fills the remaining width. */
  search?: ReactNode
  children?: ReactNode
  end?: ReactNode
}>

export function Toolbar({ search, children, end }: ToolbarProps) {
  return (
    <div className={cx('row', styles.bar)}>
      {search && <div className={styles.search}>{search}</div>}
      {children}
      {end && <div className={cx('row end', styles.end)}>{end}</div>}
    </div>
  )
}

type SelectionBarProps = Readonly<{
  label: string
  clearLabel: string
  onClear: () => void
  children: ReactNode
}>

/** Bar at the bottom of a list. It appears while rows are selected. */
export function SelectionBar({ label, clearLabel, onClear, children }: SelectionBarProps) {
  return (
    <section className={cx('row row-between', styles.selection)} aria-label={label}>
      <strong className="number">{label}</strong>
      <span className="row gap-2">
        <Button variant="ghost" onClick={onClear}>
          {clearLabel}
        </Button>
        {children}
      </span>
    </section>
  )
}

/** Shows its children only on phones. Use it for controls that replace table headers, because tables have no headers on phones. */
export function PhoneOnly({ children }: { readonly children: ReactNode }) {
  return <span className={styles.onPhone}>{children}</span>
}
